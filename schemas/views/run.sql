CREATE VIEW run(
	-- One row per run: a folder with event files or profiles, as TensorBoard names it.
	run_id, -- key
	name, -- path below the ingested PATH; '.' for PATH itself
	path, -- folder as found
	first_wall_time, -- [real] s since 1970 of its first scalar; null without scalars
	last_wall_time -- [real] s of its last scalar; null without scalars
) AS
SELECT r.run_id, r.name, r.path,
	(SELECT min(s.wall_time) FROM _tag t JOIN _scalar s ON s.tag_id = t.tag_id WHERE t.run_id = r.run_id),
	(SELECT max(s.wall_time) FROM _tag t JOIN _scalar s ON s.tag_id = t.tag_id WHERE t.run_id = r.run_id)
FROM _run r;
