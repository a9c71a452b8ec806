CREATE VIEW metric(
	-- The flat metrics of METRICS.md section 8.
	run_id, -- run.run_id
	session_id, -- session.session_id
	host, -- host.name; null: the session's
	name, -- as recorded
	value, -- [any] null if unknown
	unit, -- ms B ratio or empty
	worse, -- up down; null: no direction
	n, -- samples; null if that means nothing
	reason -- why value is null; null if it is not
) AS
SELECT run_id, session_id, host, name, coalesce(integer_value, value), unit, worse, n, reason FROM _metric;
