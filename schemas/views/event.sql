CREATE VIEW event(
	-- One row per profiler event, in (host, line, start) order: limit by line.first_event_id and last_event_id.
	event_id, -- key
	line_id, -- line.line_id
	name, -- as recorded
	start_ps, -- ps from the session's start
	dur_ps, -- ps as recorded
	self_ps, -- ps less direct children on the line
	depth, -- 0 is outermost
	parent_id, -- event.event_id around it on its line; null if outermost
	step_id, -- step.step_id; null if it belongs to none
	correlation_id, -- links launch and device work; null if not recorded
	count, -- occurrences of an aggregated event; null for one with a start
	absurd, -- [integer] 1: its times take part in no figure
	producer_type, -- context type of _p; null if none
	producer_id, -- _p; null if none
	consumer_type, -- context type of _c; null if none
	consumer_id -- _c; null if none
) AS
SELECT e.event_id, e.line_id, n.text, e.start_ps, e.dur_ps, e.self_ps, e.depth, e.parent_id, e.step_id, e.correlation_id, e.count,
	e.flags & 1, e.producer_type, e.producer_id, e.consumer_type, e.consumer_id
FROM _event e JOIN _name n ON n.name_id = e.name_id;
