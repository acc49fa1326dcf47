-- Its chunks go live with it. $1 document_id
UPDATE vouch.document_chunks c
SET valid_from = d.valid_from, valid_to = NULL, access_scope = d.access_scope
FROM vouch.documents d
WHERE d.tenant_id = vouch.current_tenant() AND d.document_id = $1
  AND c.tenant_id = d.tenant_id AND c.document_id = d.document_id
