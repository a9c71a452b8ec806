CREATE VIEW text(
	-- One row per text value.
	run, -- run.name
	tag, -- tag.name
	step, -- as written
	wall_time, -- s since 1970; null if not finite
	value -- valid UTF-8
) AS
SELECT r.name, t.name, s.step, s.wall_time, s.value
FROM _text s JOIN _tag t ON t.tag_id = s.tag_id JOIN _run r ON r.run_id = t.run_id;
