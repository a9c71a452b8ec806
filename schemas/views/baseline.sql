CREATE VIEW baseline(
	-- One row per run of a named baseline (tfprof baseline), as it was when saved.
	baseline_id, -- the same for all runs of one baseline
	name, -- of the baseline
	environment, -- machine and program that it is for
	saved_on, -- day, UTC
	reason, -- why it replaced the one before; null for the first
	superseded, -- 1: a later one has replaced it
	session, -- name of the run's session as it was
	report -- its report, JSON (schemas/report.schema.json)
) AS
SELECT b.baseline_id, b.name, b.environment, b.saved_on, b.reason, b.superseded, r.label, r.report
FROM _baseline b JOIN _baseline_run r ON r.baseline_id = b.baseline_id;
