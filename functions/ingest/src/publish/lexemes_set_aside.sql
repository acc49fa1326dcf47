-- What was added of an earlier cut of the same version is subtracted under an id of its own, so that the version's
-- id is free for what is to be added now. $1 document_id
UPDATE vouch.document_lexemes SET document_id = gen_random_uuid()
WHERE tenant_id = vouch.current_tenant() AND document_id = $1 AND NOT live AND counted
