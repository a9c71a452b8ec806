CREATE VIEW finding(
	-- One row per finding. Empty: advice comes with a later version.
	session_id, -- session.session_id
	rule, -- null if not recorded
	severity, -- null if not recorded
	title, -- null if not recorded
	value, -- null if not recorded
	threshold, -- null if not recorded
	win_ps_per_step, -- ps
	suggestion, -- null if not recorded
	evidence -- JSON
) AS
SELECT session_id, rule, severity, title, value, threshold, win_ps_per_step, suggestion, evidence FROM _finding;
