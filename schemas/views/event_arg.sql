CREATE VIEW event_arg(
	-- One row per argument (XStat) of an event and of its metadata. Integers over 64 bits are text.
	event_id, -- event.event_id
	name, -- [text] stat name
	value -- [any] integer real or text
) AS
SELECT e.event_id, a.key, a.value FROM _event e JOIN _arg_set s ON s.arg_set_id = e.arg_set_id JOIN json_each(s.args) a
UNION ALL SELECT event_id, 'correlation_id', correlation_id FROM _event WHERE correlation_id IS NOT NULL
UNION ALL SELECT event_id, '_pt', producer_type FROM _event WHERE producer_type IS NOT NULL
UNION ALL SELECT event_id, '_p', producer_id FROM _event WHERE producer_id IS NOT NULL
UNION ALL SELECT event_id, '_ct', consumer_type FROM _event WHERE consumer_type IS NOT NULL
UNION ALL SELECT event_id, '_c', consumer_id FROM _event WHERE consumer_id IS NOT NULL;
