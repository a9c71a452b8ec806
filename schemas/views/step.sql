CREATE VIEW step(
	-- One row per step of a host, by start. Empty when the session has no step marker.
	step_id, -- key
	session_id, -- session.session_id
	host_id, -- host.host_id
	number, -- the marker's own
	name, -- the marker's
	source, -- [text] host_marker executor device_marker inferred
	start_ps, -- ps of its interval; null if not recorded
	step_ps, -- max(host_ps device_ps)
	host_ps, -- the marker's span; null without one
	device_ps, -- first to last device event; null without any
	period_ps, -- start to the next start; null for the last and where the next starts earlier
	complete, -- 1: begins and ends inside the capture
	warmup, -- 1: over twice the median of later ones
	series, -- steps of like markers
	main_series, -- 1: the series of the headline figures
	input_ps, -- union of input waits; null without evidence
	stall_ps, -- those waits while no device worked; null without a device
	kernel_count -- kernels that it launched; null without a device
) AS
SELECT s.step_id, h.session_id, s.host_id, s.number, s.name,
	CASE h.step_source WHEN 0 THEN 'host_marker' WHEN 1 THEN 'executor' WHEN 2 THEN 'device_marker' WHEN 3 THEN 'inferred' END,
	s.start_ps, s.step_ps, s.host_ps, s.device_ps, s.period_ps, s.complete, s.warmup, s.series, s.main_series, s.input_ps,
	s.stall_ps, s.kernel_count
FROM _step s JOIN _host h ON h.host_id = s.host_id;
