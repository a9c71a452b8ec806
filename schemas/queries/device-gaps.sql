-- The longest idle gaps of the devices and what the host did meanwhile
-- :n = 20 -- how many
-- :session = latest -- selector
SELECT d.name AS device, g.start_ps / 1e9 AS at_ms, g.dur_ps / 1e9 AS ms, g.before_name, g.after_name, g.host_event_name
  FROM host h JOIN device d ON d.host_id = h.host_id JOIN device_gap g ON g.device_id = d.device_id WHERE h.session_id = :session ORDER BY g.dur_ps DESC, g.start_ps LIMIT :n;
