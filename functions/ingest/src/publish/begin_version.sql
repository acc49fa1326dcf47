-- The version's chunks are about to be written. One that is active stays so: it is only completed.
-- $1 to $9 as in insert_version.sql
UPDATE vouch.documents
SET content_sha = $4, title = $5, content_type = $6, size_bytes = $7, access_scope = $8, chunker_version = $9,
    state = 'ingesting', failure_reason = NULL, updated_at = now()
WHERE tenant_id = vouch.current_tenant() AND document_id = $1 AND source_uri = $2 AND source_version = $3
  AND state <> 'active'
RETURNING 1
