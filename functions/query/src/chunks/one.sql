-- One chunk, if the caller may read it: of a live version, or of the one that was active at $4.
--
-- $1 tenant   $2 scopes   $3 chunk   $4 as of
SELECT c.chunk_id, c.document_id, c.ordinal, c.content, c.token_count, c.heading_path, c.page, c.byte_start, c.byte_end,
       c.valid_from, d.title, d.source_uri, d.source_version
FROM vouch.document_chunks c
JOIN vouch.documents d ON d.tenant_id = $1 AND d.document_id = c.document_id
WHERE c.tenant_id = $1
  AND c.access_scope && $2::text[]
  AND c.chunk_id = $3::uuid
  AND CASE WHEN $4::timestamptz IS NULL THEN c.live
           ELSE c.valid_from <= $4 AND (c.valid_to IS NULL OR c.valid_to > $4) END
