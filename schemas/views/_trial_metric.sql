CREATE VIEW _trial_metric(
	-- Metrics of trials: those that the nearest experiment at or above the trial declares, else all scalars of the trial.
	trial_id, -- _trial.id
	part, -- below the trial's run; empty: the run itself
	tag_id, -- null if it was never written
	tag, -- tag.name
	display_name, -- null if none
	dataset, -- training validation; null if not recorded
	scalar_id -- of the last step; null if there is none
) AS
WITH _declared(trial_id, name, run_id, experiment_id) AS (
	SELECT t.id, r.name, t.run_id,
		(SELECT e.id FROM _experiment e JOIN _run x ON x.run_id = e.run_id
			WHERE e.superseded = 0 AND (x.name = r.name OR x.name = '.' OR substr(r.name, 1, length(x.name) + 1) = x.name || '/')
			AND EXISTS (SELECT 1 FROM _metric_info m WHERE m.experiment_id = e.id)
			ORDER BY length(CASE x.name WHEN '.' THEN '' ELSE x.name END) DESC LIMIT 1)
	FROM _trial t JOIN _run r ON r.run_id = t.run_id WHERE t.superseded = 0),
_wanted(trial_id, part, tag_id, tag, display_name, dataset) AS (
	SELECT d.trial_id, coalesce(m.part, ''), g.tag_id, m.tag, m.display_name, m.dataset
	FROM _declared d JOIN _metric_info m ON m.experiment_id = d.experiment_id
	LEFT JOIN _run x ON x.name = CASE WHEN coalesce(m.part, '.') = '.' THEN d.name WHEN d.name = '.' THEN m.part
		ELSE d.name || '/' || m.part END
	LEFT JOIN _tag g ON g.run_id = x.run_id AND g.name = m.tag
	UNION ALL
	SELECT d.trial_id, CASE WHEN x.run_id = d.run_id THEN '' WHEN d.name = '.' THEN x.name ELSE substr(x.name, length(d.name) + 2) END,
		g.tag_id, g.name, g.display_name, NULL
	FROM _declared d JOIN _run x ON x.run_id = d.run_id OR d.name = '.' OR substr(x.name, 1, length(d.name) + 1) = d.name || '/'
	JOIN _tag g ON g.run_id = x.run_id
	WHERE d.experiment_id IS NULL AND EXISTS (SELECT 1 FROM _scalar s WHERE s.tag_id = g.tag_id))
SELECT w.trial_id, w.part, w.tag_id, w.tag, w.display_name, w.dataset,
	(SELECT s.id FROM _scalar s WHERE s.tag_id = w.tag_id AND s.superseded = 0 AND s.orphaned = 0 ORDER BY s.step DESC LIMIT 1)
FROM _wanted w;
