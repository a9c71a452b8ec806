CREATE VIEW device_window(
	-- How busy each device was in its window.
	device_id, -- device.device_id
	window, -- what it spans: steps, each_step (of single steps, without what lies between) or device_events; null if it was not traced
	window_ps, -- ps; null if it was not traced
	busy_ps, -- union of all raw work; null if it was not traced
	kernel_ps, -- union of kernels; null if it was not traced
	memcpy_ps, -- union of copies; null if it was not traced
	comm_ps, -- union of communication; null if it was not traced
	exposed_comm_ps, -- communication that no kernel hides; null if it was not traced
	idle_ratio, -- 1 - busy/window; null if it was not traced
	window_start_ps -- ps; null if it was not traced
) AS
SELECT device_id, window_source, window_ps, busy_ps, kernel_ps, memcpy_ps, comm_ps, exposed_comm_ps, idle_ratio, window_start_ps
FROM _device;
