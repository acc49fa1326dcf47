-- Held to the end of the transaction by whoever acts on an object of which the ledger knows nothing. $1 source_uri
SELECT pg_advisory_xact_lock(hashtextextended('vouch.object:' || vouch.current_tenant() || ':' || $1, 0))
