CREATE VIEW media(
	-- One row per image or audio clip; its bytes stay in the file.
	run, -- run.name
	tag, -- tag.name
	step, -- as written
	wall_time, -- s since 1970; null if not finite
	kind, -- image or audio
	encoding, -- png wav …; null if unknown
	width, -- pixels; null if unknown
	height, -- pixels; null if unknown
	bytes, -- of the encoded clip
	file_id, -- source_file.file_id
	"offset", -- byte of its record
	sample_rate_hz, -- of audio; null if unknown
	channels, -- of audio; null if unknown
	frames, -- samples of each channel; null if unknown
	superseded, -- 1: a later write replaced this step
	orphaned -- 1: a restart at this step or before has not rewritten it
) AS
SELECT r.name, t.name, s.step, s.wall_time, s.kind, s.encoding, s.width, s.height, s.bytes, s.file_id, s.byte_offset,
	s.sample_rate_hz, s.channels, s.frames, s.superseded, s.orphaned
FROM _media s JOIN _tag t ON t.tag_id = s.tag_id JOIN _run r ON r.run_id = t.run_id;
