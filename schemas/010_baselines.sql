-- Named baselines: the reports as they were when saved, so that they outlive their sessions. One that counts for a name and environment.
CREATE TABLE _baseline(baseline_id INTEGER PRIMARY KEY, name TEXT NOT NULL, environment TEXT NOT NULL, saved_on TEXT NOT NULL,
	reason TEXT, superseded INTEGER NOT NULL DEFAULT 0);
CREATE UNIQUE INDEX _baseline_name ON _baseline(name, environment) WHERE superseded = 0;
CREATE TABLE _baseline_run(id INTEGER PRIMARY KEY, baseline_id INTEGER NOT NULL, label TEXT NOT NULL, report TEXT NOT NULL);
CREATE INDEX _baseline_run_baseline ON _baseline_run(baseline_id);
