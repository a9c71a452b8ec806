CREATE VIEW memory_at_peak(
	-- Tensors live at each allocator's peak; bytes sum to allocator.peak_bytes.
	session_id, -- session.session_id
	host_id, -- host.host_id
	allocator, -- allocator.name
	op, -- op; (pre_existing) (stack) (over_counted) are special
	shape, -- as recorded; null if not
	dtype, -- null if not recorded
	region, -- output temp …; null if not recorded
	count, -- allocations
	requested_bytes, -- asked for
	bytes, -- allocated
	age_ps -- ps since its oldest allocation; null if unknown
) AS
SELECT h.session_id, a.host_id, a.name, g.op, g.shape, g.dtype, g.region, g.count, g.requested_bytes, g.bytes, g.age_ps
FROM _tensor_group g JOIN _allocator a ON a.allocator_id = g.allocator_id JOIN _host h ON h.host_id = a.host_id
WHERE g.at_peak = 1;
