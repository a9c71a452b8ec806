-- Who takes the time of steps: for each owner the picoseconds of every step of its host, a JSON list in the order of step_id.
CREATE TABLE _step_owner(id INTEGER PRIMARY KEY, host_id INTEGER NOT NULL, first_step_id INTEGER, category TEXT NOT NULL, op TEXT,
	kernel TEXT, step_ps TEXT NOT NULL);
CREATE INDEX _step_owner_host ON _step_owner(host_id);

-- Captures in an older store have none: the next ingest reads them anew.
UPDATE _source_file SET content_hash = NULL, mtime_ns = NULL WHERE kind IN ('xspace', 'trace_json', 'trace_pb');
