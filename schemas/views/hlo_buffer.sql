CREATE VIEW hlo_buffer(
	-- One row per XLA buffer. Empty: HLO is not loaded yet.
	session_id, -- session.session_id
	module, -- null if not recorded
	instruction, -- null if not recorded
	shape, -- null if not recorded
	color, -- null if not recorded
	"offset", -- byte
	bytes, -- null if not recorded
	live_at_peak -- null if not recorded
) AS
SELECT session_id, module, instruction, shape, color, byte_offset, bytes, live_at_peak FROM _hlo_buffer;
