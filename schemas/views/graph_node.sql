CREATE VIEW graph_node(
	-- One row per node of a graph.
	run, -- run.name
	name, -- as recorded
	op, -- null if not recorded
	device, -- null if not recorded
	shape, -- JSON list: a shape for each output, -1 an unknown size, null an unknown shape; null if not recorded
	inputs, -- JSON list of names
	function, -- of the graph's library that the node lies in; null: the graph itself
	tag, -- tag.name: __graph__, __meta_graph__, or that of a trace
	kind, -- graph, meta_graph, or function: one that a trace recorded
	step, -- as written
	wall_time, -- s since 1970; null if not finite
	file_id, -- source_file.file_id
	"offset", -- byte of the graph's record
	superseded -- 1: a later graph of the run replaced this one
) AS
SELECT r.name, n.name, n.op, n.device, n.shape, n.inputs, n.function, t.name, g.kind, g.step, g.wall_time, g.file_id, g.byte_offset, g.superseded
FROM _graph_node n JOIN _graph g ON g.id = n.graph_id JOIN _tag t ON t.tag_id = g.tag_id JOIN _run r ON r.run_id = g.run_id;
