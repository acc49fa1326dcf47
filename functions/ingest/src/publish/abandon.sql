-- Work on a version that turned out not to stand. $1 document_id
UPDATE vouch.documents SET state = 'superseded', updated_at = now()
WHERE tenant_id = vouch.current_tenant() AND document_id = $1 AND state = 'ingesting'
RETURNING document_id
