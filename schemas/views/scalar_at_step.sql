CREATE VIEW scalar_at_step(
	-- Scalar points beside the profiled step of their number, in the same run: the default reading of each.
	run, -- run.name
	tag, -- tag.name
	step, -- of both
	value, -- [real] of the scalar; null if it is not finite
	wall_time, -- of the scalar, s since 1970
	session_id, -- session.session_id
	host_id, -- host.host_id
	step_id, -- step.step_id
	step_ps, -- the step's time
	input_ps, -- its input waits; null without evidence
	complete, -- 1: begins and ends inside the capture
	warmup -- 1: over twice the median of later ones
) AS
SELECT r.name, t.name, p.step, CASE WHEN p.nonfinite IS NULL THEN p.value END, p.wall_time, n.session_id, h.host_id, s.step_id,
	s.step_ps, s.input_ps, s.complete, s.warmup
FROM _run r JOIN _session n ON n.run_id = r.run_id JOIN _host h ON h.session_id = n.session_id
JOIN _step s ON s.host_id = h.host_id AND s.main_series = 1 JOIN _tag t ON t.run_id = r.run_id
JOIN _scalar p ON p.tag_id = t.tag_id AND p.step = s.number AND p.superseded = 0;
