-- Hosts beside each other: median step, and how much slower than the fastest
-- :session = latest -- selector
WITH t AS (SELECT h.name, h.start_offset_ps, count(*) AS steps, median(s.step_ps) AS ps FROM host h JOIN step s ON s.host_id = h.host_id
            WHERE h.session_id = :session AND s.complete AND NOT s.warmup AND s.main_series GROUP BY h.host_id)
SELECT name, steps, ps / 1e9 AS median_ms, ps / nullif(min(ps) OVER (), 0) - 1 AS slower, start_offset_ps / 1e9 AS starts_later_ms FROM t ORDER BY ps DESC, name;
