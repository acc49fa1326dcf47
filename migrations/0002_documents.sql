-- Documents, their chunks, and the ledger of bucket events.
--
-- Tenant, scopes and the interval of validity stand on every row that a search reads, copied from the
-- document in the same transaction, so that row-level security and the index scans read one table.

CREATE TABLE vouch.documents (
    tenant_id       text        NOT NULL REFERENCES vouch.tenants ON DELETE CASCADE,
    document_id     uuid        NOT NULL,
    source_uri      text        NOT NULL CHECK (source_uri <> ''),
    source_version  text        NOT NULL CHECK (source_version <> ''),
    content_sha     bytea       CHECK (octet_length(content_sha) = 32),
    title           text        NOT NULL DEFAULT '',
    content_type    text        NOT NULL DEFAULT '',
    size_bytes      bigint      NOT NULL DEFAULT 0 CHECK (size_bytes >= 0),
    language        text        NOT NULL DEFAULT 'english',
    access_scope    text[]      NOT NULL DEFAULT '{}',
    state           text        NOT NULL CHECK (state IN ('ingesting', 'active', 'superseded', 'deleted', 'failed')),
    failure_reason  text,
    chunker_version integer     NOT NULL DEFAULT 0,
    chunk_count     integer     NOT NULL DEFAULT 0 CHECK (chunk_count >= 0),
    valid_from      timestamptz,
    valid_to        timestamptz,
    created_at      timestamptz NOT NULL DEFAULT now(),
    updated_at      timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, document_id),
    UNIQUE (tenant_id, source_uri, source_version),
    CHECK ((state = 'failed') = (failure_reason IS NOT NULL)),
    CHECK ((state = 'active') = (valid_from IS NOT NULL AND valid_to IS NULL)),
    CHECK (valid_to IS NULL OR valid_from IS NULL OR valid_to >= valid_from)
);
CREATE UNIQUE INDEX documents_one_active_version ON vouch.documents (tenant_id, source_uri) WHERE state = 'active';
CREATE INDEX documents_listing ON vouch.documents (tenant_id, source_uri text_pattern_ops, document_id);

COMMENT ON TABLE  vouch.documents                 IS 'One row a version of a source object. At most one version of a source is active.';
COMMENT ON COLUMN vouch.documents.tenant_id       IS 'Owner of the document: the first segment of the object key, never metadata.';
COMMENT ON COLUMN vouch.documents.document_id     IS 'UUIDv5 of (tenant, source_uri, source_version): a replay writes the same row.';
COMMENT ON COLUMN vouch.documents.source_uri      IS 's3://bucket/key with the key decoded.';
COMMENT ON COLUMN vouch.documents.source_version  IS 'The object''s versionId, or the hexadecimal SHA-256 of its bytes where the bucket keeps no versions.';
COMMENT ON COLUMN vouch.documents.content_sha     IS 'SHA-256 of the source bytes; NULL where they were never read.';
COMMENT ON COLUMN vouch.documents.title           IS 'Title found in the document, else its file name.';
COMMENT ON COLUMN vouch.documents.content_type    IS 'Media type that the text was extracted as.';
COMMENT ON COLUMN vouch.documents.size_bytes      IS 'Size of the source in bytes.';
COMMENT ON COLUMN vouch.documents.language        IS 'Text search configuration of the document.';
COMMENT ON COLUMN vouch.documents.access_scope    IS 'Scopes of which a principal must hold one; {} can be seen by nobody.';
COMMENT ON COLUMN vouch.documents.state           IS 'ingesting, active, superseded, deleted or failed.';
COMMENT ON COLUMN vouch.documents.failure_reason  IS 'Why a failed document could not be read, in words for its uploader.';
COMMENT ON COLUMN vouch.documents.chunker_version IS 'Version of the chunking rules and settings that cut this document.';
COMMENT ON COLUMN vouch.documents.chunk_count     IS 'Chunks that a complete ingestion of this version has.';
COMMENT ON COLUMN vouch.documents.valid_from      IS 'When this version became the active one; NULL before that.';
COMMENT ON COLUMN vouch.documents.valid_to        IS 'When this version ceased to be the active one; NULL while it is.';
COMMENT ON COLUMN vouch.documents.created_at      IS 'When this version was first seen.';
COMMENT ON COLUMN vouch.documents.updated_at      IS 'When this row last changed.';

CREATE TABLE vouch.document_chunks (
    tenant_id    text        NOT NULL,
    document_id  uuid        NOT NULL,
    chunk_id     uuid        NOT NULL,
    ordinal      integer     NOT NULL CHECK (ordinal >= 0),
    content      text        NOT NULL CHECK (content <> ''),
    token_count  integer     NOT NULL CHECK (token_count > 0),
    heading_path text[]      NOT NULL DEFAULT '{}',
    page         integer     CHECK (page > 0),
    byte_start   bigint      NOT NULL CHECK (byte_start >= 0),
    byte_end     bigint      NOT NULL CHECK (byte_end > byte_start),
    content_tsv  tsvector    GENERATED ALWAYS AS (to_tsvector('english', content)) STORED,
    lexical      sparsevec(1000000000) NOT NULL,
    access_scope text[]      NOT NULL DEFAULT '{}',
    valid_from   timestamptz,
    valid_to     timestamptz,
    live         boolean     GENERATED ALWAYS AS (valid_from IS NOT NULL AND valid_to IS NULL) STORED,
    PRIMARY KEY (tenant_id, chunk_id),
    UNIQUE (tenant_id, document_id, ordinal),
    FOREIGN KEY (tenant_id, document_id) REFERENCES vouch.documents ON DELETE CASCADE
);
CREATE INDEX document_chunks_content_tsv ON vouch.document_chunks USING gin (content_tsv) WHERE live;

COMMENT ON TABLE  vouch.document_chunks              IS 'Pieces of a document''s text, in reading order; neighbours overlap.';
COMMENT ON COLUMN vouch.document_chunks.tenant_id    IS 'Owner, as on the document.';
COMMENT ON COLUMN vouch.document_chunks.document_id  IS 'The version that this chunk is part of.';
COMMENT ON COLUMN vouch.document_chunks.chunk_id     IS 'UUIDv5 of (document_id, chunker_version, ordinal): a citation stays valid across replays.';
COMMENT ON COLUMN vouch.document_chunks.ordinal      IS 'Position in the document, from 0.';
COMMENT ON COLUMN vouch.document_chunks.content      IS 'The text: bytes byte_start..byte_end of the extracted text, unchanged.';
COMMENT ON COLUMN vouch.document_chunks.token_count  IS 'Tokens of the content by the embedding model''s tokenizer.';
COMMENT ON COLUMN vouch.document_chunks.heading_path IS 'Headings above the chunk, outermost first.';
COMMENT ON COLUMN vouch.document_chunks.page         IS 'Page (or slide) on which the chunk starts, from 1, where the format has pages.';
COMMENT ON COLUMN vouch.document_chunks.byte_start   IS 'Offset of the first byte in the extracted text.';
COMMENT ON COLUMN vouch.document_chunks.byte_end     IS 'Offset after the last byte in the extracted text.';
COMMENT ON COLUMN vouch.document_chunks.content_tsv  IS 'For websearch_to_tsquery filters and the ts_rank baseline.';
COMMENT ON COLUMN vouch.document_chunks.lexical      IS 'BM25 term-frequency part, one element a lexeme (index = hash of the lexeme). BM25 = -(lexical <#> query vector).';
COMMENT ON COLUMN vouch.document_chunks.access_scope IS 'As on the document.';
COMMENT ON COLUMN vouch.document_chunks.valid_from   IS 'As on the document; NULL while the version is being ingested.';
COMMENT ON COLUMN vouch.document_chunks.valid_to     IS 'As on the document.';
COMMENT ON COLUMN vouch.document_chunks.live         IS 'Whether the chunk belongs to an active version; partial indexes hold only these.';

CREATE TABLE vouch.object_events (
    tenant_id  text        NOT NULL REFERENCES vouch.tenants ON DELETE CASCADE,
    source_uri text        NOT NULL,
    sequencer  text        NOT NULL,
    event_name text        NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, source_uri)
);
COMMENT ON TABLE  vouch.object_events            IS 'The newest bucket event applied to each object. An event with a lower sequencer came too late and is dropped.';
COMMENT ON COLUMN vouch.object_events.tenant_id  IS 'Owner of the object.';
COMMENT ON COLUMN vouch.object_events.source_uri IS 'As on the document.';
COMMENT ON COLUMN vouch.object_events.sequencer  IS 'The event''s sequencer, upper-case hexadecimal left-padded with zeros to 64 digits so that text order is event order.';
COMMENT ON COLUMN vouch.object_events.event_name IS 'The event applied, such as ObjectCreated:Put.';
COMMENT ON COLUMN vouch.object_events.applied_at IS 'When it was applied.';

ALTER TABLE vouch.documents       ENABLE ROW LEVEL SECURITY;
ALTER TABLE vouch.documents       FORCE  ROW LEVEL SECURITY;
ALTER TABLE vouch.document_chunks ENABLE ROW LEVEL SECURITY;
ALTER TABLE vouch.document_chunks FORCE  ROW LEVEL SECURITY;
ALTER TABLE vouch.object_events   ENABLE ROW LEVEL SECURITY;
ALTER TABLE vouch.object_events   FORCE  ROW LEVEL SECURITY;

GRANT SELECT, INSERT, UPDATE, DELETE ON vouch.documents, vouch.document_chunks, vouch.object_events TO vouch_ingest;
GRANT SELECT ON vouch.documents, vouch.document_chunks TO vouch_query;

-- The writer, and the operator, act for one tenant at a time.
CREATE POLICY one_tenant ON vouch.documents       FOR ALL TO vouch_ingest, CURRENT_USER
    USING (tenant_id = (SELECT vouch.current_tenant())) WITH CHECK (tenant_id = (SELECT vouch.current_tenant()));
CREATE POLICY one_tenant ON vouch.document_chunks FOR ALL TO vouch_ingest, CURRENT_USER
    USING (tenant_id = (SELECT vouch.current_tenant())) WITH CHECK (tenant_id = (SELECT vouch.current_tenant()));
CREATE POLICY one_tenant ON vouch.object_events   FOR ALL TO vouch_ingest, CURRENT_USER
    USING (tenant_id = (SELECT vouch.current_tenant())) WITH CHECK (tenant_id = (SELECT vouch.current_tenant()));

-- A reader sees a document in any state (a failed one says why), but text only of versions that are
-- live, or were at the instant asked for.
CREATE POLICY one_principal ON vouch.documents FOR SELECT TO vouch_query
    USING (tenant_id = (SELECT vouch.current_tenant()) AND access_scope && (SELECT vouch.current_scopes()));
CREATE POLICY one_principal ON vouch.document_chunks FOR SELECT TO vouch_query
    USING (tenant_id = (SELECT vouch.current_tenant()) AND access_scope && (SELECT vouch.current_scopes())
           AND (live OR (valid_from <= (SELECT vouch.current_as_of()) AND valid_to > (SELECT vouch.current_as_of()))));
