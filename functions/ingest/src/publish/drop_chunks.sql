-- All text of some versions; vectors go with it. $1 document_ids
DELETE FROM vouch.document_chunks WHERE tenant_id = vouch.current_tenant() AND document_id = ANY ($1)
