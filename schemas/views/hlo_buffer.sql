CREATE VIEW hlo_buffer(
	-- One row per XLA buffer. Those live at the peak sum to hlo_module.peak_bytes.
	session_id, -- session.session_id
	module_id, -- hlo_module.module_id
	module, -- hlo_module.name
	instruction, -- whose result it is; null if not recorded
	op, -- the framework's; null if none
	shape, -- f32[64,128]; null if not recorded
	category, -- parameter, output, thread_local, constant or temporary
	color, -- memory space; 0 is the main one
	"offset", -- byte in the temporaries; null in an allocation of its own
	bytes, -- size
	live_at_peak -- 1: part of the peak
) AS
SELECT m.session_id, m.id, m.name, b.instruction, b.op, b.shape, b.category, b.color, b.byte_offset, b.bytes, b.live_at_peak
FROM _hlo_buffer b JOIN _hlo_module m ON m.id = b.module_id
WHERE m.id = (SELECT min(o.id) FROM _hlo_module o WHERE o.session_id = m.session_id AND o.name = m.name);
