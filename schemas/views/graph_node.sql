CREATE VIEW graph_node(
	-- One row per graph node. Empty: graphs are counted, not loaded yet.
	run, -- run.name
	name, -- as recorded
	op, -- null if not recorded
	device, -- null if not recorded
	shape, -- null if not recorded
	inputs -- null if not recorded
) AS
SELECT r.name, g.name, g.op, g.device, g.shape, g.inputs FROM _graph_node g JOIN _run r ON r.run_id = g.run_id;
