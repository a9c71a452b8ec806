CREATE VIEW mesh(
	-- One row per tensor of a mesh: its points, faces or colours. The values are in tensor, as far as they are kept.
	run, -- run.name
	tag, -- tag.name
	step, -- as written
	wall_time, -- s since 1970; null if not finite
	name, -- of the mesh, which its tags share; null if not recorded
	content, -- vertex face color; null if not recorded
	dtype, -- type name
	shape, -- JSON list: meshes of the batch, rows, 3
	bytes, -- of its content
	config, -- JSON that the writer passed to the viewer; null if none
	file_id, -- source_file.file_id
	"offset", -- byte of its record
	superseded, -- 1: a later write replaced this step
	orphaned -- 1: a restart at this step or before has not rewritten it
) AS
SELECT r.name, t.name, s.step, s.wall_time, m.name, m.content, s.dtype, s.shape, s.bytes, m.config, s.file_id, s.byte_offset,
	s.superseded, s.orphaned
FROM _tensor s JOIN _tag t ON t.tag_id = s.tag_id JOIN _run r ON r.run_id = t.run_id
LEFT JOIN _mesh m ON m.id = (SELECT min(n.id) FROM _mesh n WHERE n.tag_id = s.tag_id)
WHERE t.plugin = 'mesh';
