-- Versions that no longer stand are to be subtracted. The row's lock makes a fold that holds it finish first.
-- $1 document_ids
UPDATE vouch.document_lexemes SET live = false
WHERE tenant_id = vouch.current_tenant() AND document_id = ANY ($1)
