-- And so do its vectors; those that are live already are not written again. $1 document_id
WITH changed AS (
    UPDATE vouch.embeddings_of_space v
    SET valid_from = d.valid_from, valid_to = NULL, access_scope = d.access_scope
    FROM vouch.documents d
    WHERE d.tenant_id = vouch.current_tenant() AND d.document_id = $1
      AND v.tenant_id = d.tenant_id AND v.document_id = d.document_id
      AND (v.valid_from, v.valid_to, v.access_scope) IS DISTINCT FROM (d.valid_from, NULL::timestamptz, d.access_scope)
)
-- An update does not change how many there are.
SELECT count(*) FROM vouch.embeddings_of_space WHERE tenant_id = vouch.current_tenant() AND document_id = $1
