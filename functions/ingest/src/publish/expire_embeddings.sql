-- As with their chunks. $1 document_ids
UPDATE vouch.embeddings_of_space v
SET valid_to = d.valid_to
FROM vouch.documents d
WHERE d.tenant_id = vouch.current_tenant() AND d.document_id = ANY ($1)
  AND v.tenant_id = d.tenant_id AND v.document_id = d.document_id AND v.valid_to IS NULL
