CREATE VIEW device_window(
	-- How busy each device was in its window. Null figures: it was not traced.
	device_id, -- device.device_id
	window, -- steps or device_events: what the window spans
	window_ps, -- ps
	busy_ps, -- union of all raw work
	kernel_ps, -- union of kernels
	memcpy_ps, -- union of copies
	comm_ps, -- union of communication
	exposed_comm_ps, -- communication that no kernel hides
	idle_ratio, -- 1 - busy/window
	window_start_ps -- ps
) AS
SELECT device_id, window_source, window_ps, busy_ps, kernel_ps, memcpy_ps, comm_ps, exposed_comm_ps, idle_ratio, window_start_ps
FROM _device;
