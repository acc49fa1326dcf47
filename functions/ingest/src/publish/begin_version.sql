-- The row of a version whose chunks are about to be written. A version that is active stays so until its
-- successor is whole.
-- $1 document_id, $2 source_uri, $3 source_version, $4 content_sha, $5 title, $6 content_type, $7 size_bytes,
-- $8 access_scope, $9 chunker_version
INSERT INTO vouch.documents AS d
    (tenant_id, document_id, source_uri, source_version, content_sha, title, content_type, size_bytes, access_scope,
     chunker_version, state)
VALUES (vouch.current_tenant(), $1, $2, $3, $4, $5, $6, $7, $8, $9, 'ingesting')
ON CONFLICT (tenant_id, document_id) DO UPDATE
SET content_sha = excluded.content_sha, title = excluded.title, content_type = excluded.content_type,
    size_bytes = excluded.size_bytes, access_scope = excluded.access_scope, chunker_version = excluded.chunker_version,
    state = 'ingesting', failure_reason = NULL, updated_at = now()
WHERE d.state <> 'active'
RETURNING 1
