-- How rare each of the query's lexemes is among the tenant's live chunks, as BM25's inverse document frequency.
-- A lexeme that no chunk holds is the rarest.
--
-- $1 tenant   $2 lexemes
SELECT q.lexeme, ln(1 + (greatest(total.n, f.n) - f.n + 0.5) / (f.n + 0.5))::real AS rarity
FROM unnest($2::int[]) AS q (lexeme),
     LATERAL (SELECT coalesce((SELECT s.chunk_total FROM vouch.tenant_statistics s WHERE s.tenant_id = $1), 0)::float8 AS n) AS total,
     LATERAL (SELECT coalesce((SELECT s.chunk_frequency FROM vouch.lexeme_statistics s
                               WHERE s.tenant_id = $1 AND s.lexeme = q.lexeme), 0)::float8 AS n) AS f
