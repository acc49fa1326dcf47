-- What was never added need not be subtracted. $1 document_ids
DELETE FROM vouch.document_lexemes
WHERE tenant_id = vouch.current_tenant() AND document_id = ANY ($1) AND NOT live AND NOT counted
