-- What a host's program runs on: tensorflow, jax, pytorch, or null.
ALTER TABLE _host ADD COLUMN framework TEXT;
