-- XLA programs and the memory that their compiler planned.
CREATE TABLE _hlo_module(id INTEGER PRIMARY KEY, session_id INTEGER, file_id INTEGER, name TEXT, instructions INTEGER,
	peak_bytes INTEGER, always_bytes INTEGER, heap_bytes INTEGER, allocated_bytes INTEGER, reason TEXT);
CREATE INDEX _hlo_module_session ON _hlo_module(session_id, name);
DROP TABLE _hlo_buffer;
CREATE TABLE _hlo_buffer(id INTEGER PRIMARY KEY, module_id INTEGER, instruction TEXT, op TEXT, shape TEXT, category TEXT, color INTEGER,
	byte_offset INTEGER, bytes INTEGER, live_at_peak INTEGER);
CREATE INDEX _hlo_buffer_module ON _hlo_buffer(module_id);
