CREATE VIEW memory_event(
	-- One row per allocation and free.
	session_id, -- session.session_id
	host_id, -- host.host_id
	allocator, -- allocator.name
	ps, -- ps
	kind, -- alloc or free
	address, -- as a signed integer
	op, -- null if unknown
	shape, -- null if unknown
	dtype, -- null if unknown
	region, -- null if unknown
	requested_bytes, -- null if not recorded
	bytes, -- null if not recorded
	step_id -- step.step_id; null if outside steps
) AS
SELECT h.session_id, a.host_id, a.name, e.ps, e.kind, e.address, e.op, e.shape, e.dtype, e.region, e.requested_bytes, e.bytes,
	e.step_id
FROM _memory_event e JOIN _allocator a ON a.allocator_id = e.allocator_id JOIN _host h ON h.host_id = a.host_id;
