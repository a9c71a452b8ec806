-- Ops that run eagerly, outside any function
-- :n = 20 -- how many
-- :session = latest -- selector
SELECT name, type, count, self_ps / 1e9 AS self_ms FROM op WHERE session_id = :session AND eager ORDER BY self_ps DESC, name LIMIT :n;
