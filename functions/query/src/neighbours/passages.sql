-- The hits and the chunks that stand before and after them in the same version, with what a citation needs
-- of their documents. Read in the hits' own transaction, so the same policy holds for all of them.
--
-- $1 tenant   $2 scopes   $3 hits   $4 chunks wanted on each side   $5 as of
WITH hits AS MATERIALIZED (
    SELECT c.document_id, c.ordinal
    FROM vouch.document_chunks c
    WHERE c.tenant_id = $1
      AND c.chunk_id = ANY ($3::uuid[])
),
places AS MATERIALIZED (
    -- Neighbours of two hits may be the same chunk: each place once.
    SELECT DISTINCT h.document_id, h.ordinal + step AS ordinal
    FROM hits h, generate_series(-$4::int, $4::int) AS step
)
SELECT c.chunk_id, c.document_id, c.ordinal, c.content, c.token_count, c.heading_path, c.page, c.valid_from,
       d.title, d.source_uri, d.source_version
FROM places p
JOIN vouch.document_chunks c ON c.tenant_id = $1 AND c.document_id = p.document_id AND c.ordinal = p.ordinal
JOIN vouch.documents d ON d.tenant_id = $1 AND d.document_id = c.document_id
WHERE c.access_scope && $2::text[]
  AND CASE WHEN $5::timestamptz IS NULL THEN c.live
           ELSE c.valid_from <= $5 AND (c.valid_to IS NULL OR c.valid_to > $5) END
ORDER BY d.source_uri, c.document_id, c.ordinal
