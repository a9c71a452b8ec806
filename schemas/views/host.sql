CREATE VIEW host(
	-- One row per host of a session: one capture file.
	host_id, -- key
	session_id, -- session.session_id
	name, -- stem of the file's name
	start_ns, -- when the capture began, ns since 1970; null if not recorded
	duration_ps, -- [integer] from its first event to its last; null without any
	complete, -- 1: nothing is missing of the capture
	start_offset_ps -- [integer] its steps begin so much later than the first host's, median: clocks apart, or late; null if not known
) AS
SELECT host_id, session_id, name, start_ns, end_ps - begin_ps, complete,
	(SELECT CAST(avg(offset_ps) AS INTEGER)
	FROM (SELECT offset_ps, row_number() OVER (ORDER BY offset_ps) AS place, count(*) OVER () AS n
		FROM (SELECT CASE WHEN h.start_ns IS f.start_ns THEN 0 ELSE (h.start_ns - f.start_ns) * 1000 END
				+ s.start_ps - t.start_ps AS offset_ps
			FROM _step s JOIN _step t ON t.number = s.number AND t.main_series = 1 JOIN _host f ON f.host_id = t.host_id
			WHERE s.host_id = h.host_id AND s.main_series = 1 AND t.host_id =
				(SELECT g.host_id FROM _host g JOIN _step u ON u.host_id = g.host_id WHERE g.session_id = h.session_id
				ORDER BY g.name, g.host_id LIMIT 1))
		WHERE offset_ps IS NOT NULL)
	WHERE place IN ((n + 1) / 2, (n + 2) / 2))
FROM _host h;
