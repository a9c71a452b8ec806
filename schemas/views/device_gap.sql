CREATE VIEW device_gap(
	-- The longest idle gaps of each device inside its window.
	device_id, -- device.device_id
	start_ps, -- ps
	dur_ps, -- ps
	before_name, -- device event before; null at the window's begin
	after_name, -- device event after; null at its end
	host_event_name -- what the host did meanwhile; null if nothing is recorded
) AS
SELECT device_id, start_ps, dur_ps, before_name, after_name, host_event_name FROM _device_gap;
