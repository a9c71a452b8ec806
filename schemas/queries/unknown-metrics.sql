-- What is not known about a session, and why
-- :session = latest -- selector
SELECT reason, count(*) AS metrics, group_concat(name, ' ') AS names FROM (SELECT reason, name FROM metric WHERE session_id = :session AND host IS NULL AND value IS NULL ORDER BY name)
 GROUP BY reason ORDER BY 2 DESC, 1;
