-- What tf.data's stages say of their buffers; which executions of an op are far from its usual ones.
ALTER TABLE _input_stage ADD COLUMN parallelism REAL;
ALTER TABLE _input_stage ADD COLUMN buffer_limit REAL;
ALTER TABLE _input_stage ADD COLUMN buffered_elements REAL;
ALTER TABLE _input_stage ADD COLUMN empty_calls INTEGER;
ALTER TABLE _op ADD COLUMN p50_ps INTEGER;
ALTER TABLE _op ADD COLUMN p99_ps INTEGER;
ALTER TABLE _op ADD COLUMN max_ps INTEGER;
ALTER TABLE _op ADD COLUMN max_start_ps INTEGER;
ALTER TABLE _op ADD COLUMN max_step_id INTEGER;
ALTER TABLE _op ADD COLUMN max_step_number INTEGER;
