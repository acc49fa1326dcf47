-- The version that stands cannot be read. $1 to $9 as in insert_version.sql, $10 the reason
UPDATE vouch.documents
SET content_sha = $4, title = $5, content_type = $6, size_bytes = $7, access_scope = $8, chunker_version = $9,
    chunk_count = 0, state = 'failed', failure_reason = $10, updated_at = now(),
    valid_to = CASE WHEN valid_from IS NULL THEN NULL ELSE coalesce(valid_to, greatest(now(), valid_from)) END
WHERE tenant_id = vouch.current_tenant() AND document_id = $1 AND source_uri = $2 AND source_version = $3
