CREATE VIEW step_op(
	-- What each op and kernel takes of each step, exclusive: the rows of a category sum to step_breakdown.dur_ps (other has none).
	step_id, -- [integer] step.step_id
	category, -- as in step_breakdown
	op, -- framework op, else HLO instruction or host event; (others): those that take least; null if none is known
	kernel, -- of device work: name of the kernel or copy; null for work of the host
	dur_ps -- [integer] ps in which it is the most important thing going on, and the last begun of these
) AS
SELECT o.first_step_id + j.key, o.category, o.op, o.kernel, j.value
FROM _step_owner o, json_each(o.step_ps) j WHERE j.value > 0;
