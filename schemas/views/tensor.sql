CREATE VIEW tensor(
	-- One row per tensor that is neither scalar, histogram, text nor media. PR curves and meshes too: see pr_curve and mesh.
	run, -- run.name
	tag, -- tag.name
	step, -- as written
	wall_time, -- s since 1970; null if not finite
	dtype, -- type name
	shape, -- JSON list
	bytes, -- of its content
	value, -- JSON list of at most 4096 numbers, row by row; null if there are more
	file_id, -- source_file.file_id
	"offset", -- byte of its record; null in stores of tfprof before this column until the file is read anew
	superseded, -- 1: a later write replaced this step
	orphaned -- 1: a restart at this step or before has not rewritten it
) AS
SELECT r.name, t.name, s.step, s.wall_time, s.dtype, s.shape, s.bytes, s.value, s.file_id, s.byte_offset, s.superseded, s.orphaned
FROM _tensor s JOIN _tag t ON t.tag_id = s.tag_id JOIN _run r ON r.run_id = t.run_id;
