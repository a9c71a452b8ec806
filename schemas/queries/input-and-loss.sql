-- Input wait of each step beside a scalar written at the same step
-- :tag = batch_loss -- tag.name
-- :session = latest -- selector
SELECT s.number, s.input_ps / 1e9 AS input_ms, s.step_ps / 1e9 AS ms, c.value
  FROM session_step s JOIN session n ON n.session_id = s.session_id JOIN run r ON r.run_id = n.run_id
  LEFT JOIN scalar c ON c.run = r.name AND c.tag = :tag AND c.step = s.number AND c.superseded = 0
 WHERE s.session_id = :session ORDER BY s.number;
