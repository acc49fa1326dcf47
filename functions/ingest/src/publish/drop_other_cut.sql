-- Chunks of this version that another chunker cut, or that reach beyond its end: $2 are all the ids it has now.
DELETE FROM vouch.document_chunks
WHERE tenant_id = vouch.current_tenant() AND document_id = $1 AND chunk_id <> ALL ($2)
