-- Looked up for each file that is stored: without these the time grows with the square of the number of files.
CREATE INDEX _source_file_session ON _source_file(session_id);
CREATE INDEX _source_file_run ON _source_file(run_id);
CREATE INDEX _ingest_issue_file ON _ingest_issue(file_id);
CREATE INDEX _host_file ON _host(file_id);
CREATE INDEX _hlo_module_file ON _hlo_module(file_id);
CREATE INDEX _row_range_last ON _row_range(table_name, last_id);
CREATE INDEX _source_file_unread ON _source_file(real_path) WHERE inode IS NULL;
