-- Gives a row if nobody published the object since it was looked at, and keeps it so to the end of the transaction.
-- $1 source_uri, $2 applied_at as seen, NULL where there was no row
SELECT 1
WHERE (SELECT e.applied_at FROM vouch.object_events e
       WHERE e.tenant_id = vouch.current_tenant() AND e.source_uri = $1
       FOR SHARE) IS NOT DISTINCT FROM $2
