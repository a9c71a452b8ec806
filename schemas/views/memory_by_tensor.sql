CREATE VIEW memory_by_tensor(
	-- Each tensor group at its own maximum over the capture.
	session_id, -- session.session_id
	host_id, -- host.host_id
	allocator, -- allocator.name
	op, -- op
	shape, -- as recorded; null if not
	dtype, -- null if not recorded
	region, -- null if not recorded
	count, -- allocations at its maximum
	requested_bytes, -- asked for at its maximum
	bytes, -- allocated at its maximum
	max_live_bytes, -- most bytes live at once
	first_ps, -- first allocation
	last_ps -- last allocation
) AS
SELECT h.session_id, a.host_id, a.name, g.op, g.shape, g.dtype, g.region, g.count, g.requested_bytes, g.bytes, g.max_live_bytes,
	g.first_ps, g.last_ps
FROM _tensor_group g JOIN _allocator a ON a.allocator_id = g.allocator_id JOIN _host h ON h.host_id = a.host_id
WHERE g.at_peak = 0;
