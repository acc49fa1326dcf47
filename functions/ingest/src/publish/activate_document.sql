-- The version becomes the one that stands. $1 document_id, $2 access_scope, $3 chunk_count, $4 chunker_version, $5 title,
-- $6 content_type
UPDATE vouch.documents
SET valid_from = CASE WHEN state = 'active' THEN valid_from ELSE greatest(now(), valid_to) END,
    valid_to = NULL, state = 'active', access_scope = $2, chunk_count = $3, chunker_version = $4, title = $5,
    content_type = $6, updated_at = now()
WHERE tenant_id = vouch.current_tenant() AND document_id = $1 AND state IN ('ingesting', 'active')
RETURNING 1
