-- What is known of an object: its tenant's settings, the newest event applied, and the version that stands.
-- A tenant that does not exist gives no row.
SELECT t.default_scope,
       e.sequencer,
       e.applied_at,
       d.document_id,
       d.source_version,
       d.chunker_version,
       d.access_scope,
       d.state,
       -- Vectors may be lacking where the space is new.
       d.chunk_count = (SELECT count(*) FROM vouch.embeddings_of_space v
                        WHERE v.tenant_id = d.tenant_id AND v.document_id = d.document_id) AS is_embedded,
       d.content_sha,
       d.content_type
FROM vouch.tenants t
LEFT JOIN vouch.object_events e ON e.tenant_id = t.tenant_id AND e.source_uri = $1
LEFT JOIN vouch.documents d ON d.tenant_id = t.tenant_id AND d.source_uri = $1 AND d.state IN ('active', 'failed')
WHERE t.tenant_id = vouch.current_tenant()
ORDER BY d.state LIMIT 1
