-- Prefetch and shuffle buffers that calls found empty
-- :session = latest -- selector
SELECT long_name, calls, empty_calls, 1.0 * empty_calls / calls AS empty_share, buffered_elements, buffer_limit
  FROM input_stage WHERE session_id = :session AND empty_calls > 0 ORDER BY empty_share DESC, long_name;
