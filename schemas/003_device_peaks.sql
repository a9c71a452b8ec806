-- What a device could do at best, where its plane tells.
ALTER TABLE _device ADD COLUMN peak_flops REAL;
ALTER TABLE _device ADD COLUMN memory_bytes_per_s REAL;
