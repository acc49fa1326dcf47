-- A row for a version that has none. The conflict names no index on purpose: two writers of one version can meet at
-- either of its two unique keys, and with one named the other would be an error.
-- $1 document_id, $2 source_uri, $3 source_version, $4 content_sha, $5 title, $6 content_type, $7 size_bytes,
-- $8 access_scope, $9 chunker_version
INSERT INTO vouch.documents
    (tenant_id, document_id, source_uri, source_version, content_sha, title, content_type, size_bytes, access_scope,
     chunker_version, state)
VALUES (vouch.current_tenant(), $1, $2, $3, $4, $5, $6, $7, $8, $9, 'ingesting')
ON CONFLICT DO NOTHING
