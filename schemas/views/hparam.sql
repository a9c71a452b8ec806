CREATE VIEW hparam(
	-- One row per hyperparameter of a run.
	run, -- run.name
	name, -- as recorded
	value, -- number or text
	type -- number string bool
) AS
SELECT r.name, h.name, h.value, h.type FROM _hparam h JOIN _run r ON r.run_id = h.run_id;
