CREATE VIEW device(
	-- One row per accelerator of a host.
	device_id, -- key
	host_id, -- host.host_id
	name, -- plane name such as /device:GPU:0
	kind, -- gpu tpu sparse_core device
	ordinal, -- n of GPU:n; null if it has none
	model, -- null if not recorded
	memory_bytes, -- null if not recorded
	peak_flops, -- operations a second at best; null if its plane does not tell
	memory_bytes_per_s -- of its own memory; null if not recorded
) AS
SELECT device_id, host_id, name, kind, ordinal, model, memory_bytes, peak_flops, memory_bytes_per_s FROM _device;
