-- Statistics that BM25 needs: how many chunks of a tenant hold a lexeme, and how many chunks there are.
--
-- A publication writes one row here (document_lexemes) and waits for nobody. Whoever gets the tenant's
-- advisory lock folds the rows whose `counted` differs from `live` into the totals; whoever does not get it
-- goes on. A crash between the two leaves a row to fold, never a wrong total.

CREATE TABLE vouch.document_lexemes (
    tenant_id    text      NOT NULL,
    document_id  uuid      NOT NULL,
    lexemes      integer[] NOT NULL,
    chunk_counts integer[] NOT NULL,
    chunk_total  integer   NOT NULL CHECK (chunk_total >= 0),
    live         boolean   NOT NULL,
    counted      boolean   NOT NULL DEFAULT false,
    PRIMARY KEY (tenant_id, document_id),
    FOREIGN KEY (tenant_id) REFERENCES vouch.tenants ON DELETE CASCADE,
    CHECK (cardinality(lexemes) = cardinality(chunk_counts))
);
CREATE INDEX document_lexemes_to_fold ON vouch.document_lexemes (tenant_id) WHERE counted <> live;
COMMENT ON TABLE  vouch.document_lexemes              IS 'What one document version adds to its tenant''s lexeme statistics.';
COMMENT ON COLUMN vouch.document_lexemes.tenant_id    IS 'Owner of the document.';
COMMENT ON COLUMN vouch.document_lexemes.document_id  IS 'The version counted. Not a foreign key: a deleted document is still to be subtracted.';
COMMENT ON COLUMN vouch.document_lexemes.lexemes      IS 'Lexeme ids (the indices of the lexical vectors) in ascending order.';
COMMENT ON COLUMN vouch.document_lexemes.chunk_counts IS 'For each lexeme, the number of this document''s chunks that hold it.';
COMMENT ON COLUMN vouch.document_lexemes.chunk_total  IS 'Number of this document''s chunks.';
COMMENT ON COLUMN vouch.document_lexemes.live         IS 'Whether the version is active, and so ought to be counted.';
COMMENT ON COLUMN vouch.document_lexemes.counted      IS 'Whether the totals hold it.';

CREATE TABLE vouch.lexeme_statistics (
    tenant_id       text    NOT NULL REFERENCES vouch.tenants ON DELETE CASCADE,
    lexeme          integer NOT NULL,
    chunk_frequency bigint  NOT NULL,
    PRIMARY KEY (tenant_id, lexeme)
);
COMMENT ON TABLE  vouch.lexeme_statistics                 IS 'Document frequencies for BM25, with the chunk as the document.';
COMMENT ON COLUMN vouch.lexeme_statistics.tenant_id       IS 'The tenant counted; statistics are never shared between tenants.';
COMMENT ON COLUMN vouch.lexeme_statistics.lexeme          IS 'Lexeme id.';
COMMENT ON COLUMN vouch.lexeme_statistics.chunk_frequency IS 'Number of live chunks of the tenant that hold the lexeme.';

CREATE TABLE vouch.tenant_statistics (
    tenant_id   text   PRIMARY KEY REFERENCES vouch.tenants ON DELETE CASCADE,
    chunk_total bigint NOT NULL
);
COMMENT ON TABLE  vouch.tenant_statistics             IS 'Size of each tenant''s live corpus.';
COMMENT ON COLUMN vouch.tenant_statistics.tenant_id   IS 'The tenant counted.';
COMMENT ON COLUMN vouch.tenant_statistics.chunk_total IS 'Number of live chunks.';

ALTER TABLE vouch.document_lexemes  ENABLE ROW LEVEL SECURITY;
ALTER TABLE vouch.document_lexemes  FORCE  ROW LEVEL SECURITY;
ALTER TABLE vouch.lexeme_statistics ENABLE ROW LEVEL SECURITY;
ALTER TABLE vouch.lexeme_statistics FORCE  ROW LEVEL SECURITY;
ALTER TABLE vouch.tenant_statistics ENABLE ROW LEVEL SECURITY;
ALTER TABLE vouch.tenant_statistics FORCE  ROW LEVEL SECURITY;
GRANT SELECT, INSERT, UPDATE, DELETE ON vouch.document_lexemes, vouch.lexeme_statistics, vouch.tenant_statistics TO vouch_ingest;
GRANT SELECT ON vouch.lexeme_statistics, vouch.tenant_statistics TO vouch_query;
CREATE POLICY one_tenant ON vouch.document_lexemes  FOR ALL TO vouch_ingest, CURRENT_USER
    USING (tenant_id = (SELECT vouch.current_tenant())) WITH CHECK (tenant_id = (SELECT vouch.current_tenant()));
CREATE POLICY one_tenant ON vouch.lexeme_statistics FOR ALL TO vouch_ingest, CURRENT_USER
    USING (tenant_id = (SELECT vouch.current_tenant())) WITH CHECK (tenant_id = (SELECT vouch.current_tenant()));
CREATE POLICY one_tenant ON vouch.tenant_statistics FOR ALL TO vouch_ingest, CURRENT_USER
    USING (tenant_id = (SELECT vouch.current_tenant())) WITH CHECK (tenant_id = (SELECT vouch.current_tenant()));
CREATE POLICY one_principal ON vouch.lexeme_statistics FOR SELECT TO vouch_query
    USING (tenant_id = (SELECT vouch.current_tenant()));
CREATE POLICY one_principal ON vouch.tenant_statistics FOR SELECT TO vouch_query
    USING (tenant_id = (SELECT vouch.current_tenant()));

CREATE FUNCTION vouch.fold_lexeme_statistics() RETURNS boolean
    LANGUAGE plpgsql AS $$
DECLARE
    folding uuid[];
BEGIN
    -- One folder a tenant at a time, and nobody waits to be it.
    IF NOT pg_try_advisory_xact_lock(hashtextextended('vouch.fold:' || vouch.current_tenant(), 0)) THEN
        RETURN false;
    END IF;
    -- A row locked by a publication in flight is left for the next fold.
    SELECT array_agg(picked.document_id) INTO folding FROM (
        SELECT document_id FROM vouch.document_lexemes
        WHERE tenant_id = vouch.current_tenant() AND counted <> live
        FOR UPDATE SKIP LOCKED) AS picked;
    IF folding IS NULL THEN
        RETURN true;
    END IF;
    INSERT INTO vouch.lexeme_statistics AS s (tenant_id, lexeme, chunk_frequency)
        SELECT d.tenant_id, e.lexeme, sum(CASE WHEN d.live THEN e.chunks ELSE -e.chunks END)
        FROM vouch.document_lexemes d, unnest(d.lexemes, d.chunk_counts) AS e (lexeme, chunks)
        WHERE d.tenant_id = vouch.current_tenant() AND d.document_id = ANY (folding)
        GROUP BY d.tenant_id, e.lexeme
    ON CONFLICT (tenant_id, lexeme) DO UPDATE SET chunk_frequency = s.chunk_frequency + excluded.chunk_frequency;
    INSERT INTO vouch.tenant_statistics AS s (tenant_id, chunk_total)
        SELECT d.tenant_id, sum(CASE WHEN d.live THEN d.chunk_total ELSE -d.chunk_total END)
        FROM vouch.document_lexemes d
        WHERE d.tenant_id = vouch.current_tenant() AND d.document_id = ANY (folding)
        GROUP BY d.tenant_id
    ON CONFLICT (tenant_id) DO UPDATE SET chunk_total = s.chunk_total + excluded.chunk_total;
    DELETE FROM vouch.lexeme_statistics WHERE tenant_id = vouch.current_tenant() AND chunk_frequency = 0
        AND lexeme IN (SELECT unnest(d.lexemes) FROM vouch.document_lexemes d
                       WHERE d.tenant_id = vouch.current_tenant() AND d.document_id = ANY (folding) AND NOT d.live);
    UPDATE vouch.document_lexemes SET counted = live
        WHERE tenant_id = vouch.current_tenant() AND document_id = ANY (folding) AND live;
    DELETE FROM vouch.document_lexemes
        WHERE tenant_id = vouch.current_tenant() AND document_id = ANY (folding) AND NOT live;
    RETURN true;
END
$$;
COMMENT ON FUNCTION vouch.fold_lexeme_statistics() IS 'Brings the current tenant''s lexeme statistics up to date; false when another session is at it.';
REVOKE ALL ON FUNCTION vouch.fold_lexeme_statistics() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION vouch.fold_lexeme_statistics() TO vouch_ingest;

CREATE FUNCTION vouch.lexical_query(lexemes integer[], weights real[]) RETURNS sparsevec
    LANGUAGE sql STABLE PARALLEL SAFE
    -- Inverse document frequency as in Lucene's BM25: ln(1 + (N - n + 0.5) / (n + 0.5)), never negative.
    RETURN (
        WITH total AS (
            SELECT coalesce((SELECT chunk_total FROM vouch.tenant_statistics
                             WHERE tenant_id = vouch.current_tenant()), 0)::float8 AS n
        )
        SELECT ('{' || string_agg(q.lexeme || ':' || (q.weight * ln(1 + (greatest(total.n, f.n) - f.n + 0.5) / (f.n + 0.5)))::real, ',' ORDER BY q.lexeme)
                || '}/1000000000')::sparsevec
        FROM total,
             unnest(lexemes, weights) AS q (lexeme, weight),
             LATERAL (SELECT coalesce((SELECT chunk_frequency FROM vouch.lexeme_statistics s
                                       WHERE s.tenant_id = vouch.current_tenant() AND s.lexeme = q.lexeme), 0)::float8 AS n) AS f
        -- A lexeme that no chunk of the tenant holds can match nothing.
        WHERE f.n > 0
    );
COMMENT ON FUNCTION vouch.lexical_query(integer[], real[]) IS 'The query side of BM25 for the current tenant: query term weights times inverse document frequencies; NULL when no term is known.';
REVOKE ALL ON FUNCTION vouch.lexical_query(integer[], real[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION vouch.lexical_query(integer[], real[]) TO vouch_query;
