CREATE VIEW tensor(
	-- One row per tensor that is neither scalar, histogram, text nor media.
	run, -- run.name
	tag, -- tag.name
	step, -- as written
	wall_time, -- s since 1970; null if not finite
	dtype, -- type name
	shape, -- JSON list
	bytes, -- of its content
	value -- JSON list; null if too long
) AS
SELECT r.name, t.name, s.step, s.wall_time, s.dtype, s.shape, s.bytes, s.value
FROM _tensor s JOIN _tag t ON t.tag_id = s.tag_id JOIN _run r ON r.run_id = t.run_id;
