CREATE VIEW line(
	-- One row per timeline: a host thread, a stream, an annotation line.
	line_id, -- key
	device_id, -- device.device_id; null on a host plane
	host_id, -- host.host_id
	plane, -- plane name
	name, -- thread or stream name
	derived, -- 1: annotation that is never busy time
	first_event_id, -- event.event_id of its first event; null if it has none
	last_event_id -- of its last event; null if it has none
) AS
SELECT line_id, device_id, host_id, plane, name, derived, first_event_id, last_event_id FROM _line;
