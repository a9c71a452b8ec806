-- How busy each device was
-- :session = latest -- selector
SELECT h.name AS host, d.name AS device, w.window_ps / 1e9 AS window_ms, w.busy_ps / 1e9 AS busy_ms, w.idle_ratio, w.exposed_comm_ps / 1e9 AS exposed_comm_ms
  FROM host h JOIN device d ON d.host_id = h.host_id JOIN device_window w ON w.device_id = d.device_id WHERE h.session_id = :session ORDER BY 1, 2;
