CREATE VIEW op(
	-- One row per op and side. Name IDLE is time between ops.
	session_id, -- session.session_id
	host_id, -- host.host_id
	device_id, -- device.device_id; null on the host
	side, -- host or device
	name, -- full name
	type, -- op type
	count, -- executions
	total_ps, -- ps with ops inside
	self_ps, -- ps without
	eager, -- 1: ran outside any function
	flops, -- total; null if not recorded
	bytes, -- total accessed; null if not recorded
	p50_ps, -- median time of an execution; null if not known
	p99_ps, -- 99th percentile; null if not known
	max_ps, -- longest; null if not known
	max_start_ps, -- when the longest began; null if not known
	max_step_id -- step.step_id that it belongs to; null if none
) AS
SELECT h.session_id, o.host_id, o.device_id, o.side, o.name, o.type, o.count, o.total_ps, o.self_ps, o.eager, o.flops, o.bytes, o.p50_ps,
	o.p99_ps, o.max_ps, o.max_start_ps, o.max_step_id
FROM _op o JOIN _host h ON h.host_id = o.host_id;
