-- Nodes of the RunMetadata of TensorFlow 1, each of the file that holds it.
DROP TABLE _run_metadata_node;
CREATE TABLE _run_metadata_node(id INTEGER PRIMARY KEY, run_id INTEGER NOT NULL, file_id INTEGER NOT NULL, tag TEXT, step INTEGER, device TEXT,
	node TEXT, op TEXT, start_us INTEGER, dur_us INTEGER, output_bytes INTEGER, peak_bytes INTEGER, temp_bytes INTEGER);
CREATE INDEX _run_metadata_node_run ON _run_metadata_node(run_id, step);

-- What an older version passed over: the next ingest reads it anew.
UPDATE _source_file SET content_hash = NULL, mtime_ns = NULL WHERE kind IN ('event_file', 'trace_json', 'unknown');
