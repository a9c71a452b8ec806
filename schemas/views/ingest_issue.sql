CREATE VIEW ingest_issue(
	-- One row per thing that was wrong with a file (at most 100 a file).
	file_id, -- source_file.file_id
	code, -- length_crc data_crc truncated …
	"offset", -- byte in the file (after gzip); null: the whole file
	message -- in words
) AS
SELECT file_id, code, byte_offset, message FROM _ingest_issue;
