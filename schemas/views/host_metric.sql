CREATE VIEW host_metric(
	-- One row per reading of a machine. Empty: not loaded yet.
	host, -- null if not recorded
	device, -- null if not recorded
	name, -- as recorded
	unit, -- null if not recorded
	wall_time, -- s since 1970
	value, -- null if not recorded
	file_id -- source_file.file_id
) AS
SELECT host, device, name, unit, wall_time, value, file_id FROM _host_metric;
