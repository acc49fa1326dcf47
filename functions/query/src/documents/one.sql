-- One document, in any state, if the caller may see it.
--
-- $1 tenant   $2 scopes   $3 document
SELECT d.document_id, d.title, d.source_uri, d.source_version, d.state, d.failure_reason, d.content_type, d.size_bytes,
       d.language, d.chunk_count, d.valid_from, d.valid_to, d.created_at, d.updated_at
FROM vouch.documents d
WHERE d.tenant_id = $1
  AND d.access_scope && $2::text[]
  AND d.document_id = $3::uuid
