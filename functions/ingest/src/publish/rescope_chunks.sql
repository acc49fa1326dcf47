-- As with the document. $1 document_id, $2 access_scope
UPDATE vouch.document_chunks SET access_scope = $2
WHERE tenant_id = vouch.current_tenant() AND document_id = $1
