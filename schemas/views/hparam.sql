CREATE VIEW hparam(
	-- One row per hyperparameter of a run.
	run, -- run.name
	name, -- as recorded
	value, -- [any] number or text
	type, -- number string bool
	file_id, -- source_file.file_id
	superseded -- [integer] 1: of a later session of the run; TensorBoard takes the first
) AS
SELECT r.name, h.name, h.value, h.type, h.file_id, coalesce(t.superseded, 0)
FROM _hparam h JOIN _run r ON r.run_id = h.run_id LEFT JOIN _trial t ON t.id = h.trial_id;
