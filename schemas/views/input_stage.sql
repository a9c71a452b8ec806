CREATE VIEW input_stage(
	-- One row per tf.data iterator of an input pipeline.
	session_id, -- session.session_id
	host_id, -- host.host_id
	pipeline, -- Host:n or Device:n
	name, -- last part
	long_name, -- full name
	parent, -- long name of its consumer; null for the root
	calls, -- count
	total_ps, -- ps
	self_ps, -- ps without stages inside
	max_ps, -- slowest call; null if not recorded
	slow_calls, -- calls over 50 us; null if not recorded
	bottleneck, -- 1: holds up the slowest call most
	on_critical_path, -- 1: the slowest call waited for it
	parallelism, -- mean over the calls that tell it; null if none does
	buffer_limit, -- elements that a prefetch may hold, or a shuffle's buffer; mean; null if not recorded
	buffered_elements, -- elements in the buffer when a call came; mean; null if not recorded
	empty_calls -- calls that found the buffer empty; null if not recorded
) AS
SELECT h.session_id, s.host_id, s.pipeline, s.name, s.long_name, s.parent, s.calls, s.total_ps, s.self_ps, s.max_ps, s.slow_calls,
	s.bottleneck, s.critical, s.parallelism, s.buffer_limit, s.buffered_elements, s.empty_calls
FROM _input_stage s JOIN _host h ON h.host_id = s.host_id;
