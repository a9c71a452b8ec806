CREATE VIEW source_file(
	-- One row per file that an ingest met.
	file_id, -- key
	path, -- as found; ARCHIVE/MEMBER for a member of an archive
	kind, -- what its content is: event_file xspace …
	run_id, -- run.run_id; null if it belongs to none
	session_id, -- session.session_id; null if it belongs to none
	size_bytes, -- on disk; of a member, in the archive
	bytes_read, -- decoded, after decompression
	records, -- framed records or profile events
	state, -- new replaced unchanged skipped failed: as last loaded
	tail_state, -- clean partial_record zero_fill garbage
	skipped_records, -- lost to damage
	skipped_bytes, -- lost to damage
	first_bad_offset, -- byte; null if undamaged
	writer_version -- of event files; null if unknown
) AS
SELECT file_id, path, kind, run_id, session_id, size_bytes, bytes_read, records, state, tail_state, skipped_records, skipped_bytes,
	first_bad_offset, writer_version
FROM _source_file;
