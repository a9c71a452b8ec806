CREATE VIEW hparam_metric(
	-- One row per trial and metric, with its last value. The metrics are those that the experiment declares, else all scalars.
	run, -- run.name of the trial
	"group", -- [text] of trials with the same hyperparameters; the run where none was recorded
	part, -- [text] below the trial's run where the metric was written; empty: the run itself
	tag, -- tag.name
	display_name, -- null if none
	dataset, -- [text] training validation; null if not recorded
	step, -- of the value; null if there is none
	wall_time, -- s since 1970; null if there is no value
	value, -- of the last step; null if there is none or it is NaN
	nonfinite -- nan inf -inf; null if finite
) AS
SELECT r.name, coalesce(t.group_name, r.name), m.part, m.tag, m.display_name, m.dataset, s.step, s.wall_time, s.value, s.nonfinite
FROM _trial_metric m JOIN _trial t ON t.id = m.trial_id JOIN _run r ON r.run_id = t.run_id
LEFT JOIN _scalar s ON s.id = m.scalar_id;
