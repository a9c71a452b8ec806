CREATE VIEW pr_curve(
	-- One row per threshold of a precision-recall curve.
	run, -- run.name
	tag, -- tag.name
	step, -- as written
	wall_time, -- s since 1970; null if not finite
	threshold, -- [real] 0..1: a prediction counts as positive from here on
	true_positives, -- [real] sum of weights
	false_positives, -- [real] sum of weights
	true_negatives, -- [real] sum of weights
	false_negatives, -- [real] sum of weights
	"precision", -- [real] as recorded; null if not finite
	recall, -- [real] as recorded; null if not finite
	file_id, -- source_file.file_id
	"offset", -- byte of its record
	superseded, -- 1: a later write replaced this step
	orphaned -- 1: a restart at this step or before has not rewritten it
) AS
SELECT r.name, t.name, s.step, s.wall_time,
	CASE WHEN json_array_length(s.value) > 6 THEN (j.key % (json_array_length(s.value) / 6)) * 1.0 / (json_array_length(s.value) / 6 - 1) END,
	max(CASE j.key / (json_array_length(s.value) / 6) WHEN 0 THEN j.value END),
	max(CASE j.key / (json_array_length(s.value) / 6) WHEN 1 THEN j.value END),
	max(CASE j.key / (json_array_length(s.value) / 6) WHEN 2 THEN j.value END),
	max(CASE j.key / (json_array_length(s.value) / 6) WHEN 3 THEN j.value END),
	max(CASE j.key / (json_array_length(s.value) / 6) WHEN 4 THEN j.value END),
	max(CASE j.key / (json_array_length(s.value) / 6) WHEN 5 THEN j.value END),
	s.file_id, s.byte_offset, s.superseded, s.orphaned
FROM _tensor s JOIN _tag t ON t.tag_id = s.tag_id JOIN _run r ON r.run_id = t.run_id JOIN json_each(s.value) j
WHERE t.plugin = 'pr_curves' AND s.shape LIKE '[6,%' AND s.value IS NOT NULL
GROUP BY s.id, j.key % (json_array_length(s.value) / 6);
