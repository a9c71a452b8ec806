-- What lives at the peak of each XLA program
-- :n = 20 -- how many
-- :session = latest -- selector
SELECT m.name AS program, m.peak_bytes, b.instruction, b.op, b.shape, b.category, b.bytes
  FROM hlo_module m JOIN hlo_buffer b ON b.module_id = m.module_id
 WHERE m.session_id = :session AND b.live_at_peak ORDER BY m.peak_bytes DESC, b.bytes DESC, b.instruction LIMIT :n;
