CREATE VIEW kernel(
	-- One row per kernel, launch shape and op of a device.
	session_id, -- session.session_id
	host_id, -- host.host_id
	device_id, -- device.device_id
	name, -- kernel name
	op, -- framework op, else the HLO instruction; null if unattributed
	count, -- executions
	total_ps, -- ps
	min_ps, -- ps
	max_ps, -- ps
	registers, -- a thread; null if not recorded
	shared_bytes, -- static and dynamic; null if not recorded
	grid, -- x,y,z of the launch; null if not recorded
	block, -- x,y,z of the launch; null if not recorded
	occupancy, -- 0..1; null if not recorded
	tensor_core -- 1: uses matrix units by its name
) AS
SELECT h.session_id, k.host_id, k.device_id, k.name, k.op, k.count, k.total_ps, k.min_ps, k.max_ps, k.registers, k.shared_bytes,
	k.grid, k.block, k.occupancy, k.tensor_core
FROM _kernel k JOIN _host h ON h.host_id = k.host_id;
