CREATE VIEW hparam_domain(
	-- One row per hyperparameter that an experiment declares.
	run, -- run.name where the experiment was written
	experiment, -- its name; null if it has none
	name, -- hparam.name
	display_name, -- null if none
	description, -- null if none
	type, -- number string bool; null if not recorded
	domain, -- JSON list of its values; null if it is an interval or not recorded
	min, -- of its interval; null if it has none
	max -- of its interval; null if it has none
) AS
SELECT r.name, e.name, i.name, i.display_name, i.description, i.type, i.domain, i.min, i.max
FROM _hparam_info i JOIN _experiment e ON e.id = i.experiment_id JOIN _run r ON r.run_id = e.run_id
WHERE e.superseded = 0;
