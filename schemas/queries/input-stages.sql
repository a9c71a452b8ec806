-- Stages of tf.data by their own time, the one that holds up the others marked
-- :n = 20 -- how many
-- :session = latest -- selector
SELECT host_id, pipeline, long_name, calls, self_ps / 1e9 AS self_ms, self_ps / 1e6 / nullif(calls, 0) AS us_a_call, bottleneck, parallelism
  FROM input_stage WHERE session_id = :session ORDER BY self_ps DESC, long_name LIMIT :n;
