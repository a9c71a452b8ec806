CREATE VIEW session_step(
	-- One row per step of a session: of several hosts the slowest of each number. Step figures are over WHERE steady.
	session_id, -- session.session_id
	step_id, -- step.step_id
	number, -- the marker's own
	series, -- steps of like markers
	steady, -- [integer] 1: complete, no warm-up and of the main series on all hosts
	step_ps, -- [integer] max of host and device span
	input_ps, -- union of input waits; null without evidence
	stall_ps, -- those waits while no device worked; null without a device
	period_ps, -- start to the next start; null for the last and where the next starts earlier
	kernel_count -- [integer] kernels that it launched on all hosts; null without a device
) AS
SELECT h.session_id, s.step_id, s.number, s.series, sum(NOT (s.complete AND NOT s.warmup AND s.main_series)) = 0, max(s.step_ps),
	s.input_ps, s.stall_ps, s.period_ps, sum(s.kernel_count)
FROM _step s JOIN _host h ON h.host_id = s.host_id
GROUP BY h.session_id, s.number, s.series,
	CASE (SELECT count(DISTINCT x.name) FROM _host x WHERE x.session_id = h.session_id) WHEN 1 THEN s.step_id END;
