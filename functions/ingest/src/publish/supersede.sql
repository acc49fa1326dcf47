-- Every other version of the object ceases to stand. $1 source_uri, $2 document_id of the version that does
UPDATE vouch.documents
SET state = 'superseded', failure_reason = NULL, updated_at = now(),
    -- A clock set back must not make an interval end before it began.
    valid_to = CASE WHEN valid_from IS NULL THEN NULL ELSE coalesce(valid_to, greatest(now(), valid_from)) END
WHERE tenant_id = vouch.current_tenant() AND source_uri = $1 AND document_id <> $2
  AND state IN ('ingesting', 'active', 'failed')
RETURNING document_id
