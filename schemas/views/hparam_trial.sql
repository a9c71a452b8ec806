CREATE VIEW hparam_trial(
	-- One row per trial: a run that recorded hyperparameters.
	run, -- run.name
	"group", -- [text] of trials with the same hyperparameters; the run where none was recorded
	status, -- success failure running; null if its end was not recorded
	start_wall_time, -- s since 1970; null if not recorded
	end_wall_time, -- s since 1970; null if not recorded
	experiment, -- name of the nearest experiment at or above the run; null if none
	monitor_url, -- null if none
	model_uri, -- null if none
	hparams, -- [text] JSON object: hyperparameters by name
	metrics -- [text] JSON object: last values by tag with the part of the run before it; null where there is no finite one
) AS
SELECT r.name, coalesce(t.group_name, r.name), e.status, t.started, e.ended,
	(SELECT x.name FROM _experiment x JOIN _run y ON y.run_id = x.run_id
		WHERE x.superseded = 0 AND (y.name = r.name OR y.name = '.' OR substr(r.name, 1, length(y.name) + 1) = y.name || '/')
		ORDER BY length(CASE y.name WHEN '.' THEN '' ELSE y.name END) DESC LIMIT 1),
	t.monitor_url, t.model_uri,
	(SELECT json_group_object(h.name, CASE WHEN h.type <> 'bool' THEN h.value WHEN h.value THEN json('true') ELSE json('false') END)
		FROM (SELECT name, type, value FROM _hparam WHERE trial_id = t.id ORDER BY name) h),
	(SELECT json_group_object(m.name, m.value)
		FROM (SELECT CASE q.part WHEN '' THEN q.tag ELSE q.part || '/' || q.tag END AS name,
				CASE WHEN s.nonfinite IS NULL THEN s.value END AS value
			FROM _trial_metric q LEFT JOIN _scalar s ON s.id = q.scalar_id WHERE q.trial_id = t.id ORDER BY 1) m)
FROM _trial t JOIN _run r ON r.run_id = t.run_id LEFT JOIN _trial_end e ON e.run_id = t.run_id AND e.superseded = 0
WHERE t.superseded = 0;
