CREATE VIEW run_metadata_node(
	-- One row per node of a RunMetadata of TensorFlow 1 (trace_level=FULL_TRACE), as its executor or a stream of a GPU ran it. A kernel is there once for its stream and once for all streams.
	run, -- run.name
	tag, -- that it was written under; null for a file of its own
	step, -- of the event; 0 for a file of its own
	device, -- as TensorFlow names it
	node, -- null if not recorded
	op, -- type; null if not recorded
	start_us, -- us since 1970
	dur_us, -- us, all that the executor did for it; null where times cannot be
	output_bytes, -- of its output tensors, the larger of requested and allocated; null if not recorded
	peak_bytes, -- the most that it had of each allocator, summed over them; null if not recorded
	temp_bytes -- null if not recorded
) AS
SELECT r.name, m.tag, m.step, m.device, m.node, m.op, m.start_us, m.dur_us, m.output_bytes, m.peak_bytes, m.temp_bytes
FROM _run_metadata_node m JOIN _run r ON r.run_id = m.run_id;
