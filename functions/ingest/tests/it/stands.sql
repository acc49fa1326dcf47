-- What stands, with its text: only live chunks count, and only those whose vector is live and whose scopes are the
-- document's on chunk and vector alike.
SELECT d.source_uri, d.state, d.access_scope,
       coalesce((SELECT string_agg(c.content, E'\n\n' ORDER BY c.ordinal)
                 FROM vouch.document_chunks c
                 JOIN vouch.embeddings_hashing_64 v USING (tenant_id, chunk_id)
                 WHERE c.tenant_id = d.tenant_id AND c.document_id = d.document_id AND c.live AND v.live
                   AND c.access_scope = d.access_scope AND v.access_scope = d.access_scope), '')
FROM vouch.documents d
WHERE d.state IN ('active', 'failed')
