CREATE VIEW run_metadata_node(
	-- One row per node of a TF1 RunMetadata. Empty: not loaded yet.
	run, -- run.name
	tag, -- null if not recorded
	step, -- as written
	device, -- null if not recorded
	node, -- null if not recorded
	op, -- null if not recorded
	start_us, -- us
	dur_us, -- us
	output_bytes, -- null if not recorded
	peak_bytes, -- null if not recorded
	temp_bytes -- null if not recorded
) AS
SELECT r.name, m.tag, m.step, m.device, m.node, m.op, m.start_us, m.dur_us, m.output_bytes, m.peak_bytes, m.temp_bytes
FROM _run_metadata_node m JOIN _run r ON r.run_id = m.run_id;
