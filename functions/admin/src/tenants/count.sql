SELECT state, count(*) AS documents, coalesce(sum(chunk_count) FILTER (WHERE state = 'active'), 0)::bigint AS chunks
FROM vouch.documents
WHERE tenant_id = vouch.current_tenant()
GROUP BY state
