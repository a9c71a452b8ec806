CREATE VIEW long_tail_op(
	-- Ops of which some executions take far longer than most: 20 or more, the 99th percentile over 3 medians.
	session_id, -- session.session_id
	host_id, -- host.host_id
	device_id, -- device.device_id; null on the host
	side, -- host or device
	name, -- full name
	count, -- executions
	p50_ps, -- median time of an execution
	p99_ps, -- 99th percentile
	max_ps, -- longest
	max_start_ps, -- when the longest began
	max_step_id, -- step.step_id that it belongs to; null if none
	excess_ps -- [integer] ps that all executions take beyond the median, in all
) AS
SELECT h.session_id, o.host_id, o.device_id, o.side, o.name, o.count, o.p50_ps, o.p99_ps, o.max_ps, o.max_start_ps, o.max_step_id,
	o.total_ps - o.count * o.p50_ps
FROM _op o JOIN _host h ON h.host_id = o.host_id
WHERE o.count >= 20 AND o.p99_ps / 3 > o.p50_ps AND o.total_ps > o.count * o.p50_ps;
