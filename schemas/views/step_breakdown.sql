CREATE VIEW step_breakdown(
	-- Parts of each step, exclusive: they sum to step.step_ps.
	step_id, -- step.step_id
	category, -- [text] device_compute_16 … other
	dur_ps -- ps
) AS
SELECT step_id, 'device_compute_16', device_compute_16 FROM _step WHERE has_breakdown
UNION ALL SELECT step_id, 'device_compute_32', device_compute_32 FROM _step WHERE has_breakdown
UNION ALL SELECT step_id, 'device_to_host', device_to_host FROM _step WHERE has_breakdown
UNION ALL SELECT step_id, 'device_to_device', device_to_device FROM _step WHERE has_breakdown
UNION ALL SELECT step_id, 'input_wait', input_wait FROM _step WHERE has_breakdown
UNION ALL SELECT step_id, 'device_collectives', device_collectives FROM _step WHERE has_breakdown
UNION ALL SELECT step_id, 'kernel_launch', kernel_launch FROM _step WHERE has_breakdown
UNION ALL SELECT step_id, 'host_to_device', host_to_device FROM _step WHERE has_breakdown
UNION ALL SELECT step_id, 'host_to_host', host_to_host FROM _step WHERE has_breakdown
UNION ALL SELECT step_id, 'compile', compile FROM _step WHERE has_breakdown
UNION ALL SELECT step_id, 'host_compute', host_compute FROM _step WHERE has_breakdown
UNION ALL SELECT step_id, 'other', other FROM _step WHERE has_breakdown;
