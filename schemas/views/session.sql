CREATE VIEW session(
	-- One row per profiler session: the captures of all hosts at one time.
	session_id, -- key
	run_id, -- run.run_id
	name, -- its timestamp folder
	start_ns, -- ns since 1970 of session time 0; null if not recorded
	duration_ns, -- [integer] of the longest capture; null if unknown
	complete -- 1 if nothing was cut or dropped
) AS
SELECT session_id, run_id, name, start_ns, duration_ps / 1000, complete FROM _session;
