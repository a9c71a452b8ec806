-- Files that lost something, and the first place of it
SELECT f.path, f.kind, f.state, f.tail_state, f.skipped_records, f.skipped_bytes, f.first_bad_offset, i.code, i.message
  FROM source_file f LEFT JOIN ingest_issue i ON i.file_id = f.file_id
 WHERE i.code IS NOT NULL OR f.skipped_bytes > 0 OR f.state IN ('failed', 'skipped') ORDER BY f.path, i."offset";
