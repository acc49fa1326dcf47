-- Embedding spaces: vectors of one model, dimension and element type, in a table and an index of their own.
-- Vectors of two models never meet, because no table can hold both.

CREATE TABLE vouch.embedding_spaces (
    space_id     text        PRIMARY KEY CHECK (space_id ~ '^[a-z][a-z0-9_]{0,40}$'),
    model        text        NOT NULL,
    dimension    integer     NOT NULL CHECK (dimension BETWEEN 1 AND 4000),
    element_type text        NOT NULL CHECK (element_type IN ('vector', 'halfvec')),
    state        text        NOT NULL DEFAULT 'building' CHECK (state IN ('building', 'active', 'retired')),
    created_at   timestamptz NOT NULL DEFAULT now(),
    activated_at timestamptz,
    CHECK (element_type = 'halfvec' OR dimension <= 2000)
);
CREATE UNIQUE INDEX embedding_spaces_one_active ON vouch.embedding_spaces (state) WHERE state = 'active';
COMMENT ON TABLE  vouch.embedding_spaces              IS 'The spaces that exist. Queries use the active one; ingestion writes to it and to those being built.';
COMMENT ON COLUMN vouch.embedding_spaces.space_id     IS 'Name of the space; its vectors are in vouch.embeddings_<space_id>.';
COMMENT ON COLUMN vouch.embedding_spaces.model        IS 'The embedding model, as its provider names it.';
COMMENT ON COLUMN vouch.embedding_spaces.dimension    IS 'Number of elements of each vector.';
COMMENT ON COLUMN vouch.embedding_spaces.element_type IS 'vector (32-bit floats, at most 2,000 can be indexed) or halfvec (16-bit, at most 4,000).';
COMMENT ON COLUMN vouch.embedding_spaces.state        IS 'building, active or retired.';
COMMENT ON COLUMN vouch.embedding_spaces.created_at   IS 'When the space was made.';
COMMENT ON COLUMN vouch.embedding_spaces.activated_at IS 'When queries last began to use it.';
-- Which models are in use is no tenant's secret, and both functions check it at start-up, before any tenant is known.
GRANT SELECT ON vouch.embedding_spaces TO vouch_ingest, vouch_query;

CREATE FUNCTION vouch.create_embedding_space(space_id text, model text, dimension integer, element_type text) RETURNS void
    LANGUAGE plpgsql AS $$
DECLARE
    relation text := 'embeddings_' || space_id;
BEGIN
    INSERT INTO vouch.embedding_spaces (space_id, model, dimension, element_type)
        VALUES (space_id, model, dimension, element_type);
    EXECUTE format(
        'CREATE TABLE vouch.%I (
            tenant_id    text  NOT NULL,
            chunk_id     uuid  NOT NULL,
            document_id  uuid  NOT NULL,
            input_sha    bytea NOT NULL CHECK (octet_length(input_sha) = 32),
            embedding    %s(%s) NOT NULL,
            access_scope text[] NOT NULL DEFAULT ''{}'',
            valid_from   timestamptz,
            valid_to     timestamptz,
            live         boolean GENERATED ALWAYS AS (valid_from IS NOT NULL AND valid_to IS NULL) STORED,
            PRIMARY KEY (tenant_id, chunk_id),
            FOREIGN KEY (tenant_id, chunk_id) REFERENCES vouch.document_chunks ON DELETE CASCADE
        )', relation, element_type, dimension);
    EXECUTE format('CREATE INDEX %I ON vouch.%I USING hnsw (embedding %s_cosine_ops) WHERE live',
                   relation || '_hnsw', relation, element_type);
    EXECUTE format('CREATE INDEX %I ON vouch.%I (tenant_id, document_id)', relation || '_document', relation);
    EXECUTE format('CREATE INDEX %I ON vouch.%I (tenant_id, input_sha)', relation || '_input', relation);
    EXECUTE format('COMMENT ON TABLE vouch.%I IS %L', relation, 'Vectors of the space ' || space_id || ': ' || model || ', ' || dimension || ' dimensions.');
    EXECUTE format('COMMENT ON COLUMN vouch.%I.tenant_id IS %L', relation, 'Owner, as on the chunk.');
    EXECUTE format('COMMENT ON COLUMN vouch.%I.chunk_id IS %L', relation, 'The chunk embedded.');
    EXECUTE format('COMMENT ON COLUMN vouch.%I.document_id IS %L', relation, 'The version that the chunk is part of.');
    EXECUTE format('COMMENT ON COLUMN vouch.%I.input_sha IS %L', relation, 'SHA-256 of the exact text embedded; an equal text of the same tenant reuses the vector.');
    EXECUTE format('COMMENT ON COLUMN vouch.%I.embedding IS %L', relation, 'The embedding, of norm 1.');
    EXECUTE format('COMMENT ON COLUMN vouch.%I.access_scope IS %L', relation, 'As on the document.');
    EXECUTE format('COMMENT ON COLUMN vouch.%I.valid_from IS %L', relation, 'As on the document; NULL while the version is being ingested.');
    EXECUTE format('COMMENT ON COLUMN vouch.%I.valid_to IS %L', relation, 'As on the document.');
    EXECUTE format('COMMENT ON COLUMN vouch.%I.live IS %L', relation, 'Whether the chunk belongs to an active version.');
    EXECUTE format('ALTER TABLE vouch.%I ENABLE ROW LEVEL SECURITY', relation);
    EXECUTE format('ALTER TABLE vouch.%I FORCE ROW LEVEL SECURITY', relation);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON vouch.%I TO vouch_ingest', relation);
    EXECUTE format('GRANT SELECT ON vouch.%I TO vouch_query', relation);
    EXECUTE format('CREATE POLICY one_tenant ON vouch.%I FOR ALL TO vouch_ingest, CURRENT_USER
        USING (tenant_id = (SELECT vouch.current_tenant())) WITH CHECK (tenant_id = (SELECT vouch.current_tenant()))', relation);
    EXECUTE format('CREATE POLICY one_principal ON vouch.%I FOR SELECT TO vouch_query
        USING (tenant_id = (SELECT vouch.current_tenant()) AND access_scope && (SELECT vouch.current_scopes())
               AND (live OR (valid_from <= (SELECT vouch.current_as_of()) AND valid_to > (SELECT vouch.current_as_of()))))', relation);
END
$$;
COMMENT ON FUNCTION vouch.create_embedding_space(text, text, integer, text) IS 'Makes a space in state building, with its table, indexes and policies.';
REVOKE ALL ON FUNCTION vouch.create_embedding_space(text, text, integer, text) FROM PUBLIC;

CREATE FUNCTION vouch.activate_embedding_space(id text) RETURNS void
    LANGUAGE plpgsql AS $$
BEGIN
    UPDATE vouch.embedding_spaces SET state = 'retired' WHERE state = 'active' AND space_id <> id;
    UPDATE vouch.embedding_spaces SET state = 'active', activated_at = now() WHERE space_id = id AND state <> 'active';
    IF NOT EXISTS (SELECT FROM vouch.embedding_spaces WHERE space_id = id AND state = 'active') THEN
        RAISE EXCEPTION 'there is no embedding space %', id USING ERRCODE = 'no_data_found';
    END IF;
END
$$;
COMMENT ON FUNCTION vouch.activate_embedding_space(text) IS 'Makes a space the one that queries use, and retires the one that was.';
REVOKE ALL ON FUNCTION vouch.activate_embedding_space(text) FROM PUBLIC;
