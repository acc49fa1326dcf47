-- Vectors that this tenant has already for some embedded texts.
SELECT DISTINCT ON (input_sha) input_sha, embedding::text
FROM vouch.embeddings_of_space
WHERE tenant_id = vouch.current_tenant() AND input_sha = ANY ($1)
ORDER BY input_sha
