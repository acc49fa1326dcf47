-- What is kept of superseded versions stops being live with them. $1 their document_ids
UPDATE vouch.document_chunks c
SET valid_to = d.valid_to
FROM vouch.documents d
WHERE d.tenant_id = vouch.current_tenant() AND d.document_id = ANY ($1)
  AND c.tenant_id = d.tenant_id AND c.document_id = d.document_id AND c.valid_to IS NULL
