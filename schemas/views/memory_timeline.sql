CREATE VIEW memory_timeline(
	-- Bytes in use over time, down-sampled to 1000 points a allocator without losing maxima.
	session_id, -- session.session_id
	host_id, -- host.host_id
	allocator, -- allocator.name
	ps, -- ps
	heap_bytes, -- null if not recorded
	stack_bytes, -- null if not recorded
	free_bytes, -- null if not recorded
	fragmentation -- 0..1; null if unknown
) AS
SELECT h.session_id, a.host_id, a.name, t.ps, t.heap_bytes, t.stack_bytes, t.free_bytes, t.fragmentation
FROM _memory_timeline t JOIN _allocator a ON a.allocator_id = t.allocator_id JOIN _host h ON h.host_id = a.host_id;
