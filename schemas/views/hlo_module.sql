CREATE VIEW hlo_module(
	-- One row per XLA program of a session.
	module_id, -- key
	session_id, -- session.session_id
	name, -- module
	instructions, -- count
	peak_bytes, -- most that lives at one time in the device's main memory; null if not known
	always_bytes, -- of it: parameters, outputs, constants, thread-local
	heap_bytes, -- of it: temporaries
	allocated_bytes, -- what the program reserves
	reason -- why the peak is not known; null if it is
) AS
SELECT id, session_id, name, instructions, peak_bytes, always_bytes, heap_bytes, allocated_bytes, reason
FROM _hlo_module m
WHERE id = (SELECT min(o.id) FROM _hlo_module o WHERE o.session_id = m.session_id AND o.name = m.name);
