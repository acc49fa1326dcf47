-- What the version adds to its tenant's statistics. $1 document_id, $2 lexemes, $3 chunk_counts, $4 chunk_total
INSERT INTO vouch.document_lexemes (tenant_id, document_id, lexemes, chunk_counts, chunk_total, live)
VALUES (vouch.current_tenant(), $1, $2, $3, $4, true)
