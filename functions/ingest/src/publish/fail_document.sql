-- The version that stands cannot be read. $1 document_id, $2 source_uri, $3 source_version, $4 content_sha,
-- $5 title, $6 content_type, $7 size_bytes, $8 access_scope, $9 chunker_version, $10 reason
INSERT INTO vouch.documents AS d
    (tenant_id, document_id, source_uri, source_version, content_sha, title, content_type, size_bytes, access_scope,
     chunker_version, state, failure_reason)
VALUES (vouch.current_tenant(), $1, $2, $3, $4, $5, $6, $7, $8, $9, 'failed', $10)
ON CONFLICT (tenant_id, document_id) DO UPDATE
SET content_sha = excluded.content_sha, title = excluded.title, content_type = excluded.content_type,
    size_bytes = excluded.size_bytes, access_scope = excluded.access_scope, chunker_version = excluded.chunker_version,
    chunk_count = 0, state = 'failed', failure_reason = excluded.failure_reason, updated_at = now(),
    valid_to = CASE WHEN d.valid_from IS NULL THEN NULL ELSE coalesce(d.valid_to, greatest(now(), d.valid_from)) END
