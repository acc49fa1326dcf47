-- One page of the documents that the caller may see, in order of source and then of id. The order is that of bytes, which
-- the listing index has whatever the database's collation; the page starts after the place that the cursor names.
--
-- $1 tenant   $2 scopes   $3 source prefix   $4 state   $5 and $6 source and id of the last document seen   $7 rows wanted
SELECT d.document_id, d.title, d.source_uri, d.source_version, d.state, d.failure_reason, d.content_type, d.size_bytes,
       d.language, d.chunk_count, d.valid_from, d.valid_to, d.created_at, d.updated_at
FROM vouch.documents d
WHERE d.tenant_id = $1
  AND d.access_scope && $2::text[]
  AND ($3::text IS NULL OR starts_with(d.source_uri, $3))
  AND ($4::text IS NULL OR d.state = $4)
  AND ($5::text IS NULL OR d.source_uri ~>~ $5 OR (d.source_uri = $5 AND d.document_id > $6))
  AND ($5::text IS NULL OR d.source_uri ~>=~ $5)
ORDER BY d.source_uri USING ~<~, d.document_id
LIMIT $7::bigint
