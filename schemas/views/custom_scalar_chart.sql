CREATE VIEW custom_scalar_chart(
	-- One row per curve of a chart that the custom scalars layout of a run describes.
	run, -- run.name
	step, -- as written
	wall_time, -- s since 1970; null if not finite
	category, -- title; null if none
	title, -- of the chart; null if none
	kind, -- multiline or margin
	tag, -- pattern of tags; of a margin chart the tag of its value
	lower, -- tag of the lower bound; null for a multiline chart
	upper, -- tag of the upper bound; null for a multiline chart
	file_id, -- source_file.file_id
	"offset" -- byte of its record
) AS
SELECT r.name, c.step, c.wall_time, c.category, c.title, c.kind, c.value, c.lower, c.upper, c.file_id, c.byte_offset
FROM _chart c JOIN _tag t ON t.tag_id = c.tag_id JOIN _run r ON r.run_id = t.run_id;
