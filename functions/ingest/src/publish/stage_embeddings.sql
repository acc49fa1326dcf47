-- The vectors of chunks that were just staged.
-- $1 document_id, $2 chunk_id[], $3 input_sha[], $4 vector[] as text
INSERT INTO vouch.embeddings_of_space AS e
    (tenant_id, chunk_id, document_id, input_sha, embedding, access_scope, valid_from, valid_to)
SELECT c.tenant_id, c.chunk_id, c.document_id, n.input_sha, n.embedding::vector, c.access_scope, c.valid_from, c.valid_to
FROM unnest($2::uuid[], $3::bytea[], $4::text[]) AS n (chunk_id, input_sha, embedding)
JOIN vouch.document_chunks c
  ON c.tenant_id = vouch.current_tenant() AND c.document_id = $1 AND c.chunk_id = n.chunk_id
ORDER BY c.ordinal
ON CONFLICT (tenant_id, chunk_id) DO UPDATE
SET embedding = excluded.embedding, input_sha = excluded.input_sha
-- An equal vector is left alone: writing it would cost an insertion into the index.
WHERE e.input_sha <> excluded.input_sha
