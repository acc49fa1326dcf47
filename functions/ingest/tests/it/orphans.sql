-- Rows that nothing that stands needs: half-ingested versions, text and vectors that are not live, counts of chunks that
-- are not the document's, and lexemes not folded or of nothing.
SELECT (SELECT count(*) FROM vouch.documents WHERE state = 'ingesting')
     + (SELECT count(*) FROM vouch.document_chunks WHERE NOT live)
     + (SELECT count(*) FROM vouch.embeddings_hashing_64 WHERE NOT live)
     + (SELECT abs((SELECT count(*) FROM vouch.document_chunks) - (SELECT count(*) FROM vouch.embeddings_hashing_64)))
     + (SELECT abs((SELECT count(*) FROM vouch.document_chunks)
                   - (SELECT coalesce(sum(chunk_count), 0) FROM vouch.documents WHERE state = 'active')))
     + (SELECT abs((SELECT count(*) FROM vouch.document_chunks)
                   - (SELECT coalesce(sum(chunk_total), 0)::bigint FROM vouch.tenant_statistics)))
     + (SELECT count(*) FROM vouch.document_lexemes l
        WHERE l.live <> l.counted
           OR NOT EXISTS (SELECT FROM vouch.documents d
                          WHERE d.tenant_id = l.tenant_id AND d.document_id = l.document_id AND d.state = 'active'))
