CREATE VIEW histogram(
	-- One row per histogram.
	run, -- run.name
	tag, -- tag.name
	step, -- as written
	wall_time, -- s since 1970; null if not finite
	count, -- values
	min, -- null if unknown
	max, -- null if unknown
	sum, -- null if not recorded
	sum_squares, -- null if not recorded
	buckets, -- JSON [[left right count] …]
	file_id, -- source_file.file_id
	"offset", -- byte of its record
	superseded, -- 1: a later write replaced this step
	orphaned -- 1: a restart at this step or before has not rewritten it
) AS
SELECT r.name, t.name, s.step, s.wall_time, s.count, s.min, s.max, s.sum, s.sum_squares, s.buckets, s.file_id, s.byte_offset,
	s.superseded, s.orphaned
FROM _histogram s JOIN _tag t ON t.tag_id = s.tag_id JOIN _run r ON r.run_id = t.run_id;
