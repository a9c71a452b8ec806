-- Every value says where its record lies, and whether a later write or a restart replaced it.
ALTER TABLE _histogram ADD COLUMN orphaned INTEGER NOT NULL DEFAULT 0;
ALTER TABLE _tensor ADD COLUMN byte_offset INTEGER;
ALTER TABLE _tensor ADD COLUMN superseded INTEGER NOT NULL DEFAULT 0;
ALTER TABLE _tensor ADD COLUMN orphaned INTEGER NOT NULL DEFAULT 0;
ALTER TABLE _text ADD COLUMN byte_offset INTEGER;
ALTER TABLE _text ADD COLUMN superseded INTEGER NOT NULL DEFAULT 0;
ALTER TABLE _text ADD COLUMN orphaned INTEGER NOT NULL DEFAULT 0;
ALTER TABLE _media ADD COLUMN superseded INTEGER NOT NULL DEFAULT 0;
ALTER TABLE _media ADD COLUMN orphaned INTEGER NOT NULL DEFAULT 0;
ALTER TABLE _media ADD COLUMN sample_rate_hz REAL;
ALTER TABLE _media ADD COLUMN channels INTEGER;
ALTER TABLE _media ADD COLUMN frames INTEGER;

-- hparams: what is searched, and the trials. TensorBoard takes the first of a run: others are superseded.
ALTER TABLE _hparam ADD COLUMN trial_id INTEGER;
CREATE INDEX _hparam_trial ON _hparam(trial_id);
CREATE TABLE _experiment(id INTEGER PRIMARY KEY, run_id INTEGER NOT NULL, file_id INTEGER NOT NULL, wall_time REAL, byte_offset INTEGER,
	superseded INTEGER NOT NULL DEFAULT 0, name TEXT, description TEXT, user TEXT, created REAL);
CREATE INDEX _experiment_run ON _experiment(run_id);
CREATE TABLE _hparam_info(id INTEGER PRIMARY KEY, experiment_id INTEGER NOT NULL, file_id INTEGER NOT NULL, name TEXT, display_name TEXT,
	description TEXT, type TEXT, domain TEXT, min REAL, max REAL);
CREATE INDEX _hparam_info_experiment ON _hparam_info(experiment_id);
CREATE TABLE _metric_info(id INTEGER PRIMARY KEY, experiment_id INTEGER NOT NULL, file_id INTEGER NOT NULL, part TEXT, tag TEXT,
	display_name TEXT, description TEXT, dataset TEXT);
CREATE INDEX _metric_info_experiment ON _metric_info(experiment_id);
CREATE TABLE _trial(id INTEGER PRIMARY KEY, run_id INTEGER NOT NULL, file_id INTEGER NOT NULL, wall_time REAL, byte_offset INTEGER,
	superseded INTEGER NOT NULL DEFAULT 0, group_name TEXT, monitor_url TEXT, model_uri TEXT, started REAL);
CREATE INDEX _trial_run ON _trial(run_id);
CREATE TABLE _trial_end(id INTEGER PRIMARY KEY, run_id INTEGER NOT NULL, file_id INTEGER NOT NULL, wall_time REAL, byte_offset INTEGER,
	superseded INTEGER NOT NULL DEFAULT 0, status TEXT, ended REAL);
CREATE INDEX _trial_end_run ON _trial_end(run_id);

-- Charts of custom scalars, one row a curve; what a mesh's tags are; graphs, of which the last of a run counts.
CREATE TABLE _chart(id INTEGER PRIMARY KEY, tag_id INTEGER NOT NULL, file_id INTEGER NOT NULL, step INTEGER, wall_time REAL,
	byte_offset INTEGER, category TEXT, title TEXT, kind TEXT, value TEXT, lower TEXT, upper TEXT);
CREATE TABLE _mesh(id INTEGER PRIMARY KEY, tag_id INTEGER NOT NULL, file_id INTEGER NOT NULL, name TEXT, content TEXT, config TEXT);
CREATE INDEX _mesh_tag ON _mesh(tag_id);
CREATE TABLE _graph(id INTEGER PRIMARY KEY, run_id INTEGER NOT NULL, tag_id INTEGER NOT NULL, file_id INTEGER NOT NULL, kind TEXT NOT NULL,
	step INTEGER, wall_time REAL, byte_offset INTEGER, superseded INTEGER NOT NULL DEFAULT 0);
CREATE INDEX _graph_run ON _graph(run_id);
DROP TABLE _graph_node;
CREATE TABLE _graph_node(id INTEGER PRIMARY KEY, graph_id INTEGER NOT NULL, file_id INTEGER NOT NULL, function TEXT, name TEXT, op TEXT,
	device TEXT, shape TEXT, inputs TEXT);
CREATE INDEX _graph_node_graph ON _graph_node(graph_id);

-- Files of an older store have none of this: the next ingest reads them anew.
UPDATE _source_file SET content_hash = NULL, mtime_ns = NULL WHERE kind IN ('event_file', 'profile_empty');
