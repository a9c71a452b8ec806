CREATE VIEW host(
	-- One row per host of a session: one capture file.
	host_id, -- key
	session_id, -- session.session_id
	name -- stem of the file's name
) AS
SELECT host_id, session_id, name FROM _host;
