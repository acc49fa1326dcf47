WITH recount AS (
    SELECT c.tenant_id, split_part(e.element, ':', 1)::integer AS lexeme, count(*) AS chunk_frequency
    FROM vouch.document_chunks c,
         unnest(string_to_array(trim(both '{}' from split_part(c.lexical::text, '/', 1)), ',')) AS e (element)
    WHERE c.live AND e.element <> ''
    GROUP BY 1, 2
)
SELECT count(*)
FROM recount r
FULL JOIN vouch.lexeme_statistics s USING (tenant_id, lexeme)
WHERE r.chunk_frequency IS DISTINCT FROM s.chunk_frequency
