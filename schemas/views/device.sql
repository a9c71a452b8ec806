CREATE VIEW device(
	-- One row per accelerator of a host.
	device_id, -- key
	host_id, -- host.host_id
	name, -- plane name such as /device:GPU:0
	kind, -- gpu tpu sparse_core device
	ordinal, -- n of GPU:n; null if it has none
	model, -- null if not recorded
	memory_bytes -- null if not recorded
) AS
SELECT device_id, host_id, name, kind, ordinal, model, memory_bytes FROM _device;
