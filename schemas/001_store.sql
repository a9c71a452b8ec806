-- The private tables. Nothing here is newer than SQLite 3.25: an older sqlite3 refuses the whole file otherwise.
CREATE TABLE _meta(key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;

CREATE TABLE _run(run_id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, path TEXT);
CREATE TABLE _session(session_id INTEGER PRIMARY KEY, run_id INTEGER NOT NULL, name TEXT NOT NULL, start_ns INTEGER,
	duration_ps INTEGER, complete INTEGER, framework TEXT, UNIQUE(run_id, name));
CREATE TABLE _source_file(file_id INTEGER PRIMARY KEY, run_prefix TEXT NOT NULL, real_path TEXT NOT NULL, path TEXT NOT NULL,
	kind TEXT NOT NULL, run_id INTEGER, session_id INTEGER, device INTEGER, inode INTEGER, size_bytes INTEGER,
	mtime_ns INTEGER, ctime_ns INTEGER, content_hash INTEGER, bytes_read INTEGER, records INTEGER, state TEXT,
	tail_state TEXT, skipped_records INTEGER, skipped_bytes INTEGER, first_bad_offset INTEGER, writer_version TEXT,
	UNIQUE(run_prefix, real_path));
-- Rows of one file lie together in every table: from first_id to last_id.
CREATE TABLE _row_range(file_id INTEGER NOT NULL, table_name TEXT NOT NULL, first_id INTEGER NOT NULL, last_id INTEGER NOT NULL,
	PRIMARY KEY(file_id, table_name)) WITHOUT ROWID;
CREATE TABLE _ingest_issue(id INTEGER PRIMARY KEY, file_id INTEGER NOT NULL, code TEXT NOT NULL, byte_offset INTEGER, message TEXT);

CREATE TABLE _host(host_id INTEGER PRIMARY KEY, session_id INTEGER NOT NULL, file_id INTEGER NOT NULL, name TEXT NOT NULL,
	start_ns INTEGER, begin_ps INTEGER, end_ps INTEGER, event_count INTEGER, anomaly_count INTEGER, dropped_count INTEGER,
	complete INTEGER, step_source INTEGER, step_event TEXT, step_confidence REAL, looked_for TEXT, step_reason TEXT,
	device_unreliable INTEGER, input_evidence TEXT, input_reason TEXT, get_next_count INTEGER, get_next_total_ps INTEGER,
	get_next_max_ps INTEGER, device_reason TEXT, memory_reason TEXT, op_reason TEXT, launched_kernels INTEGER);
CREATE INDEX _host_session ON _host(session_id);
CREATE TABLE _host_note(id INTEGER PRIMARY KEY, host_id INTEGER NOT NULL, is_error INTEGER NOT NULL, message TEXT);
CREATE INDEX _host_note_host ON _host_note(host_id);
CREATE TABLE _device(device_id INTEGER PRIMARY KEY, host_id INTEGER NOT NULL, name TEXT NOT NULL, kind TEXT, ordinal INTEGER,
	model TEXT, memory_bytes INTEGER, traced INTEGER, window_source TEXT, reason TEXT, window_start_ps INTEGER,
	window_ps INTEGER, busy_ps INTEGER, kernel_ps INTEGER, memcpy_ps INTEGER, comm_ps INTEGER, exposed_comm_ps INTEGER,
	idle_ratio REAL, gap_total INTEGER);
CREATE INDEX _device_host ON _device(host_id);
CREATE TABLE _device_gap(id INTEGER PRIMARY KEY, device_id INTEGER NOT NULL, start_ps INTEGER, dur_ps INTEGER, before_name TEXT,
	after_name TEXT, host_event_name TEXT);
CREATE INDEX _device_gap_device ON _device_gap(device_id);

CREATE TABLE _name(name_id INTEGER PRIMARY KEY, text TEXT NOT NULL, raw BLOB NOT NULL UNIQUE);
CREATE TABLE _line(line_id INTEGER PRIMARY KEY, host_id INTEGER NOT NULL, device_id INTEGER, plane TEXT, name TEXT,
	derived INTEGER, number INTEGER, first_event_id INTEGER, last_event_id INTEGER);
CREATE INDEX _line_host ON _line(host_id);
CREATE TABLE _arg_set(arg_set_id INTEGER PRIMARY KEY, args TEXT NOT NULL);
-- No index: rows lie in (host, line, start) order, _line says from which to which (an index costs 0.6 s on 1.4 M rows).
CREATE TABLE _event(event_id INTEGER PRIMARY KEY, line_id INTEGER NOT NULL, name_id INTEGER NOT NULL, start_ps INTEGER,
	dur_ps INTEGER, self_ps INTEGER, depth INTEGER, parent_id INTEGER, step_id INTEGER, correlation_id INTEGER, count INTEGER,
	flags INTEGER, producer_type INTEGER, producer_id INTEGER, consumer_type INTEGER, consumer_id INTEGER, arg_set_id INTEGER);

CREATE TABLE _step(step_id INTEGER PRIMARY KEY, host_id INTEGER NOT NULL, number INTEGER, name TEXT, series TEXT,
	main_series INTEGER, start_ps INTEGER, step_ps INTEGER, host_start_ps INTEGER, host_ps INTEGER, device_start_ps INTEGER,
	device_ps INTEGER, period_ps INTEGER, complete INTEGER, warmup INTEGER, device_by_overlap INTEGER, has_breakdown INTEGER,
	device_compute_16 INTEGER, device_compute_32 INTEGER, device_to_host INTEGER, device_to_device INTEGER, input_wait INTEGER,
	device_collectives INTEGER, kernel_launch INTEGER, host_to_device INTEGER, host_to_host INTEGER, compile INTEGER,
	host_compute INTEGER, other INTEGER, input_ps INTEGER, stall_ps INTEGER, kernel_count INTEGER);
CREATE INDEX _step_host ON _step(host_id);
CREATE TABLE _op(id INTEGER PRIMARY KEY, host_id INTEGER NOT NULL, device_id INTEGER, side TEXT, name TEXT, type TEXT,
	count INTEGER, total_ps INTEGER, self_ps INTEGER, eager INTEGER, flops REAL, bytes REAL);
CREATE INDEX _op_host ON _op(host_id);
CREATE TABLE _kernel(id INTEGER PRIMARY KEY, host_id INTEGER NOT NULL, device_id INTEGER, name TEXT, op TEXT, count INTEGER,
	total_ps INTEGER, min_ps INTEGER, max_ps INTEGER, registers INTEGER, shared_bytes INTEGER, grid TEXT, block TEXT,
	occupancy REAL, tensor_core INTEGER);
CREATE INDEX _kernel_host ON _kernel(host_id);
CREATE TABLE _input_stage(id INTEGER PRIMARY KEY, host_id INTEGER NOT NULL, pipeline TEXT, name TEXT, long_name TEXT, parent TEXT,
	calls INTEGER, total_ps INTEGER, self_ps INTEGER, max_ps INTEGER, slow_calls INTEGER, bottleneck INTEGER,
	critical INTEGER);
CREATE INDEX _input_stage_host ON _input_stage(host_id);

CREATE TABLE _allocator(allocator_id INTEGER PRIMARY KEY, host_id INTEGER NOT NULL, name TEXT, on_device INTEGER,
	peak_bytes INTEGER, peak_ps INTEGER, peak_step_id INTEGER, peak_step_number INTEGER, ties INTEGER,
	lifetime_peak_bytes INTEGER, capacity_bytes INTEGER, fragmentation REAL, pre_existing_bytes INTEGER,
	unmatched_frees INTEGER, event_count INTEGER);
CREATE INDEX _allocator_host ON _allocator(host_id);
CREATE TABLE _tensor_group(id INTEGER PRIMARY KEY, allocator_id INTEGER NOT NULL, at_peak INTEGER NOT NULL, op TEXT, shape TEXT,
	dtype TEXT, region TEXT, count INTEGER, requested_bytes INTEGER, bytes INTEGER, max_live_bytes INTEGER, first_ps INTEGER,
	last_ps INTEGER, age_ps INTEGER);
CREATE INDEX _tensor_group_allocator ON _tensor_group(allocator_id);
CREATE TABLE _memory_timeline(id INTEGER PRIMARY KEY, allocator_id INTEGER NOT NULL, ps INTEGER, heap_bytes INTEGER,
	stack_bytes INTEGER, free_bytes INTEGER, fragmentation REAL);
CREATE INDEX _memory_timeline_allocator ON _memory_timeline(allocator_id);
CREATE TABLE _memory_event(id INTEGER PRIMARY KEY, allocator_id INTEGER NOT NULL, ps INTEGER, kind TEXT, address INTEGER, op TEXT,
	shape TEXT, dtype TEXT, region TEXT, requested_bytes INTEGER, bytes INTEGER, step_id INTEGER);
CREATE TABLE _growth(id INTEGER PRIMARY KEY, allocator_id INTEGER NOT NULL, op TEXT, shape TEXT, dtype TEXT, region TEXT,
	first_bytes INTEGER, last_bytes INTEGER, bytes_per_step INTEGER, step_count INTEGER);
CREATE INDEX _growth_allocator ON _growth(allocator_id);

CREATE TABLE _metric(id INTEGER PRIMARY KEY, run_id INTEGER NOT NULL, session_id INTEGER, host TEXT, name TEXT NOT NULL,
	value REAL, integer_value INTEGER, unit TEXT, worse TEXT, n INTEGER, reason TEXT);
CREATE INDEX _metric_session ON _metric(session_id);

CREATE TABLE _tag(tag_id INTEGER PRIMARY KEY, run_id INTEGER NOT NULL, name TEXT NOT NULL, raw BLOB NOT NULL, kind TEXT, plugin TEXT,
	display_name TEXT, description TEXT, UNIQUE(run_id, raw));
CREATE TABLE _tag_count(tag_id INTEGER NOT NULL, file_id INTEGER NOT NULL, kind TEXT NOT NULL, count INTEGER NOT NULL,
	PRIMARY KEY(tag_id, file_id, kind)) WITHOUT ROWID;
CREATE INDEX _tag_count_file ON _tag_count(file_id);
CREATE TABLE _scalar(id INTEGER PRIMARY KEY, tag_id INTEGER NOT NULL, step INTEGER, wall_time REAL, value REAL, nonfinite TEXT,
	file_id INTEGER NOT NULL, byte_offset INTEGER, superseded INTEGER NOT NULL DEFAULT 0, orphaned INTEGER NOT NULL DEFAULT 0);
CREATE INDEX _scalar_tag ON _scalar(tag_id, step);
CREATE TABLE _histogram(id INTEGER PRIMARY KEY, tag_id INTEGER NOT NULL, step INTEGER, wall_time REAL, count REAL, min REAL,
	max REAL, sum REAL, sum_squares REAL, buckets TEXT, file_id INTEGER NOT NULL, byte_offset INTEGER,
	superseded INTEGER NOT NULL DEFAULT 0);
CREATE INDEX _histogram_tag ON _histogram(tag_id, step);
CREATE TABLE _tensor(id INTEGER PRIMARY KEY, tag_id INTEGER NOT NULL, step INTEGER, wall_time REAL, dtype TEXT, shape TEXT,
	bytes INTEGER, value TEXT, file_id INTEGER NOT NULL);
CREATE INDEX _tensor_tag ON _tensor(tag_id, step);
CREATE TABLE _text(id INTEGER PRIMARY KEY, tag_id INTEGER NOT NULL, step INTEGER, wall_time REAL, value TEXT,
	file_id INTEGER NOT NULL);
CREATE INDEX _text_tag ON _text(tag_id, step);
CREATE TABLE _media(id INTEGER PRIMARY KEY, tag_id INTEGER NOT NULL, step INTEGER, wall_time REAL, kind TEXT, encoding TEXT,
	width INTEGER, height INTEGER, bytes INTEGER, file_id INTEGER NOT NULL, byte_offset INTEGER);
CREATE INDEX _media_tag ON _media(tag_id, step);
CREATE TABLE _hparam(id INTEGER PRIMARY KEY, run_id INTEGER NOT NULL, name TEXT, value, type TEXT, file_id INTEGER NOT NULL);
CREATE INDEX _hparam_run ON _hparam(run_id);
CREATE TABLE _session_start(id INTEGER PRIMARY KEY, run_id INTEGER NOT NULL, file_id INTEGER NOT NULL, step INTEGER,
	wall_time REAL, byte_offset INTEGER);
CREATE INDEX _session_start_run ON _session_start(run_id);

-- Of inputs that later versions load.
CREATE TABLE _graph_node(id INTEGER PRIMARY KEY, run_id INTEGER, name TEXT, op TEXT, device TEXT, shape TEXT, inputs TEXT);
CREATE TABLE _run_metadata_node(id INTEGER PRIMARY KEY, run_id INTEGER, tag TEXT, step INTEGER, device TEXT, node TEXT, op TEXT,
	start_us INTEGER, dur_us INTEGER, output_bytes INTEGER, peak_bytes INTEGER, temp_bytes INTEGER);
CREATE TABLE _hlo_buffer(id INTEGER PRIMARY KEY, session_id INTEGER, module TEXT, instruction TEXT, shape TEXT, color INTEGER,
	byte_offset INTEGER, bytes INTEGER, live_at_peak INTEGER);
CREATE TABLE _host_metric(id INTEGER PRIMARY KEY, host TEXT, device TEXT, name TEXT, unit TEXT, wall_time REAL, value REAL,
	file_id INTEGER);
CREATE TABLE _finding(id INTEGER PRIMARY KEY, session_id INTEGER, rule TEXT, severity TEXT, title TEXT, value REAL, threshold REAL,
	win_ps_per_step INTEGER, suggestion TEXT, evidence TEXT);
