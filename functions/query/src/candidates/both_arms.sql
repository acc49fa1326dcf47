-- Both arms of the search in one statement: the best chunks by embedding and by BM25, with their scores.
--
-- Parameters that are NULL switch a filter off. The statement is unnamed, so it is planned with its values
-- and a filter that is off costs nothing.
--
--  $1 tenant           $2 scopes                $3 query embedding (NULL: no dense arm)
--  $4 query lexemes    $5 their weights         $6 candidates wanted from each arm
--  $7 source prefix    $8 valid since           $9 valid before
-- $10 as of           $11 document ids         $12 keyword clauses, in websearch syntax
-- $13 exact-scan limit, in chunks
WITH keywords AS MATERIALIZED (
    -- All clauses at once. A clause of stop words alone asks for nothing, so it excludes nothing.
    SELECT string_agg('(' || clause::text || ')', ' & ')::tsquery AS query
    FROM (SELECT websearch_to_tsquery('english', t.text) AS clause FROM unnest($12::text[]) AS t (text)) AS parsed
    WHERE numnode(clause) > 0
),
matching AS MATERIALIZED (
    -- The chunks that pass the caller's own keywords; read only where there are some.
    SELECT c.chunk_id
    FROM vouch.document_chunks c
    WHERE c.tenant_id = $1
      AND c.access_scope && $2::text[]
      AND c.content_tsv @@ (SELECT query FROM keywords)
),
named AS MATERIALIZED (
    -- The documents under a source prefix; read only where one is given.
    SELECT d.document_id
    FROM vouch.documents d
    WHERE d.tenant_id = $1
      AND d.access_scope && $2::text[]
      AND starts_with(d.source_uri, $7)
),
plan AS MATERIALIZED (
    -- Whether to scan exactly. The graph holds live chunks only, and its scan filters afterwards, so it is of
    -- use only where the caller sees many live chunks. A small tenant is told by one row, a narrow view of a
    -- large one by the sizes of the documents in it.
    SELECT CASE
        WHEN $10::timestamptz IS NOT NULL OR (SELECT query FROM keywords) IS NOT NULL THEN true
        WHEN coalesce((SELECT s.chunk_total FROM vouch.tenant_statistics s WHERE s.tenant_id = $1), 0) <= $13::bigint THEN true
        ELSE coalesce((SELECT sum(d.chunk_count)
                       FROM vouch.documents d
                       WHERE d.tenant_id = $1
                         AND d.access_scope && $2::text[]
                         AND d.state = 'active'
                         AND ($7::text IS NULL OR starts_with(d.source_uri, $7))
                         AND ($8::timestamptz IS NULL OR d.valid_from >= $8)
                         AND ($9::timestamptz IS NULL OR d.valid_from < $9)
                         AND ($11::uuid[] IS NULL OR d.document_id = ANY ($11))), 0) <= $13::bigint
        END AS exact
),
near AS MATERIALIZED (
    -- Approximate: the order is the index's own, so that the index can give it.
    SELECT e.chunk_id, e.embedding <=> $3::text::vector AS distance
    FROM vouch.embeddings_of_space e
    WHERE $3 IS NOT NULL
      AND NOT (SELECT exact FROM plan)
      AND e.tenant_id = $1
      AND e.access_scope && $2::text[]
      AND e.live
      AND ($7::text IS NULL OR e.document_id IN (SELECT document_id FROM named))
      AND ($8::timestamptz IS NULL OR e.valid_from >= $8)
      AND ($9::timestamptz IS NULL OR e.valid_from < $9)
      AND ($11::uuid[] IS NULL OR e.document_id = ANY ($11))
    ORDER BY e.embedding <=> $3::text::vector
    LIMIT $6::bigint
),
dense AS MATERIALIZED (
    -- Exact, also where the approximate scan gave up before it had enough. 1 - distance is no order that the
    -- index knows, which keeps the index out of it.
    SELECT e.chunk_id, 1 - (e.embedding <=> $3::text::vector) AS score
    FROM vouch.embeddings_of_space e
    WHERE $3 IS NOT NULL
      AND (SELECT count(*) FROM near) < $6::bigint
      AND e.tenant_id = $1
      AND e.access_scope && $2::text[]
      AND CASE WHEN $10::timestamptz IS NULL THEN e.live
               ELSE e.valid_from <= $10 AND (e.valid_to IS NULL OR e.valid_to > $10) END
      AND ($7::text IS NULL OR e.document_id IN (SELECT document_id FROM named))
      AND ($8::timestamptz IS NULL OR e.valid_from >= $8)
      AND ($9::timestamptz IS NULL OR e.valid_from < $9)
      AND ($11::uuid[] IS NULL OR e.document_id = ANY ($11))
      AND ($12::text[] IS NULL OR (SELECT query FROM keywords) IS NULL OR e.chunk_id IN (SELECT chunk_id FROM matching))
    ORDER BY score DESC, e.chunk_id
    LIMIT $6::bigint
),
lexical AS MATERIALIZED (
    -- BM25, exact. A product of 0 shares no word with the query, and is no hit.
    SELECT scored.chunk_id, scored.score
    FROM (
        SELECT c.chunk_id, -(c.lexical <#> (SELECT vouch.lexical_query($4::int[], $5::real[]))) AS score
        FROM vouch.document_chunks c
        WHERE c.tenant_id = $1
          AND cardinality($4::int[]) > 0
          AND c.access_scope && $2::text[]
          AND CASE WHEN $10::timestamptz IS NULL THEN c.live
                   ELSE c.valid_from <= $10 AND (c.valid_to IS NULL OR c.valid_to > $10) END
          AND ($7::text IS NULL OR c.document_id IN (SELECT document_id FROM named))
          AND ($8::timestamptz IS NULL OR c.valid_from >= $8)
          AND ($9::timestamptz IS NULL OR c.valid_from < $9)
          AND ($11::uuid[] IS NULL OR c.document_id = ANY ($11))
          AND ($12::text[] IS NULL OR (SELECT query FROM keywords) IS NULL OR c.chunk_id IN (SELECT chunk_id FROM matching))
        OFFSET 0
    ) AS scored
    WHERE scored.score > 0
    ORDER BY scored.score DESC, scored.chunk_id
    LIMIT $6::bigint
)
SELECT 'dense' AS arm, chunk_id, score::float8 FROM dense
UNION ALL
SELECT 'dense', chunk_id, (1 - distance)::float8 FROM near WHERE (SELECT count(*) FROM near) >= $6::bigint
UNION ALL
SELECT 'lexical', chunk_id, score::float8 FROM lexical
