-- Who may read the document changes, nothing else. $1 document_id, $2 access_scope
UPDATE vouch.documents SET access_scope = $2, updated_at = now()
WHERE tenant_id = vouch.current_tenant() AND document_id = $1 AND state IN ('active', 'failed')
RETURNING 1
