-- How the statements that follow in this transaction may use the HNSW index, and how long they may take: no answer
-- is worth waiting longer for than API Gateway waits (29 s). Transaction-local, so that nothing outlives the request.
--
-- Iterative scans go on past rows that a filter drops, in exact order of distance. Sorting is switched off because the
-- planner takes the policy's scope test for far more selective than it is, and would read the whole tenant and
-- sort it; where nothing but a sort will do, Postgres sorts all the same.
--
-- $1 hnsw.ef_search   $2 hnsw.max_scan_tuples
SELECT set_config('hnsw.iterative_scan', 'strict_order', true),
       set_config('hnsw.ef_search', $1, true),
       set_config('hnsw.max_scan_tuples', $2, true),
       set_config('enable_sort', 'off', true),
       set_config('statement_timeout', '10s', true)
