-- The object is gone: so are all its versions. $1 source_uri
UPDATE vouch.documents
SET state = 'deleted', failure_reason = NULL, updated_at = now(),
    valid_to = CASE WHEN valid_from IS NULL THEN NULL ELSE coalesce(valid_to, greatest(now(), valid_from)) END
WHERE tenant_id = vouch.current_tenant() AND source_uri = $1 AND state <> 'deleted'
RETURNING document_id
