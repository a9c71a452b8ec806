CREATE VIEW tag(
	-- One row per tag of a run.
	tag_id, -- key
	run, -- run.name
	name, -- valid UTF-8
	kind, -- scalar histogram text tensor image audio …: of most of its values
	plugin, -- TensorBoard plugin; null if none
	display_name, -- null if none
	description, -- null if none
	count, -- [integer] values of all kinds
	raw -- [blob] the tag's own bytes where they are not UTF-8; null where they are
) AS
SELECT t.tag_id, r.name, t.name,
	(SELECT c.kind FROM _tag_count c WHERE c.tag_id = t.tag_id GROUP BY c.kind ORDER BY sum(c.count) DESC, c.kind LIMIT 1),
	t.plugin, t.display_name, t.description,
	(SELECT sum(c.count) FROM _tag_count c WHERE c.tag_id = t.tag_id),
	CASE WHEN CAST(t.name AS BLOB) <> t.raw THEN t.raw END
FROM _tag t JOIN _run r ON r.run_id = t.run_id
WHERE EXISTS (SELECT 1 FROM _tag_count c WHERE c.tag_id = t.tag_id);
