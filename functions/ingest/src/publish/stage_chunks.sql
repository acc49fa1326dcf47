-- Some chunks of a version.
-- $1 document_id, $2 chunk_id[], $3 ordinal[], $4 content[], $5 token_count[], $6 page[], $7 byte_start[],
-- $8 byte_end[], $9 lexical[] as text, $10 heading_path, joined by the unit separator
WITH document AS (
    -- The lock keeps the version from being retired before this transaction ends, and lets one writer of it write at
    -- a time: two would meet at the second unique key, where ON CONFLICT does not look. A version that was retired
    -- takes no more chunks.
    SELECT tenant_id, document_id, access_scope, CASE WHEN state = 'active' THEN valid_from END AS valid_from
    FROM vouch.documents
    WHERE tenant_id = vouch.current_tenant() AND document_id = $1 AND state IN ('ingesting', 'active')
    FOR NO KEY UPDATE
)
INSERT INTO vouch.document_chunks AS c
    (tenant_id, document_id, chunk_id, ordinal, content, token_count, page, byte_start, byte_end, lexical,
     heading_path, access_scope, valid_from)
SELECT d.tenant_id, d.document_id, n.chunk_id, n.ordinal, n.content, n.token_count, n.page, n.byte_start, n.byte_end,
       n.lexical::sparsevec, coalesce(string_to_array(nullif(n.heading_path, ''), E'\x1f'), '{}'), d.access_scope, d.valid_from
FROM document d,
     unnest($2::uuid[], $3::integer[], $4::text[], $5::integer[], $6::integer[], $7::bigint[], $8::bigint[], $9::text[],
            $10::text[])
     AS n (chunk_id, ordinal, content, token_count, page, byte_start, byte_end, lexical, heading_path)
ORDER BY n.ordinal
ON CONFLICT (tenant_id, chunk_id) DO UPDATE
SET content = excluded.content, token_count = excluded.token_count, page = excluded.page,
    byte_start = excluded.byte_start, byte_end = excluded.byte_end, lexical = excluded.lexical,
    heading_path = excluded.heading_path
