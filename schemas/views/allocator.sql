CREATE VIEW allocator(
	-- One row per memory allocator of a host.
	session_id, -- session.session_id
	host_id, -- host.host_id
	name, -- allocator; on a TPU its index
	peak_bytes, -- most stack + heap in the capture
	peak_ps, -- first time of the peak
	peak_step_id, -- step.step_id; null if outside steps
	ties, -- how often the peak was reached again
	lifetime_peak_bytes, -- as recorded; null if not
	capacity_bytes, -- in use + free at the peak; null if not recorded
	fragmentation, -- 0..1 at the peak; null if unknown
	pre_existing_bytes, -- live at the peak but allocated before the capture
	unmatched_frees -- frees without a known allocation
) AS
SELECT h.session_id, a.host_id, a.name, a.peak_bytes, a.peak_ps, a.peak_step_id, a.ties, a.lifetime_peak_bytes, a.capacity_bytes,
	a.fragmentation, a.pre_existing_bytes, a.unmatched_frees
FROM _allocator a JOIN _host h ON h.host_id = a.host_id;
