-- All metrics of two sessions beside each other
-- :base_session = latest~1 -- selector: before
-- :session = latest -- selector: after
SELECT b.name, a.value AS before, b.value AS after, b.value - a.value AS change, 1.0 * (b.value - a.value) / nullif(abs(a.value), 0) AS relative, b.unit
  FROM metric b LEFT JOIN metric a ON a.session_id = :base_session AND a.name = b.name AND a.host IS NULL
 WHERE b.session_id = :session AND b.host IS NULL ORDER BY b.name;
