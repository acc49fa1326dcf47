-- Takes the object's row in the ledger, and with it the right to publish, if nobody published since it was looked
-- at. The row stays locked to the end of the transaction.
-- $1 source_uri, $2 sequencer or NULL, $3 event name, $4 applied_at as seen, NULL where there was no row
INSERT INTO vouch.object_events AS e (tenant_id, source_uri, sequencer, event_name, applied_at)
VALUES (vouch.current_tenant(), $1, coalesce($2, repeat('0', 64)), $3, clock_timestamp())
ON CONFLICT (tenant_id, source_uri) DO UPDATE
SET sequencer = greatest(e.sequencer, excluded.sequencer),
    event_name = excluded.event_name,
    -- It tells one publication from the next, so it must move even where the clock stands still.
    applied_at = greatest(clock_timestamp(), e.applied_at + interval '1 microsecond')
WHERE e.applied_at = $4
RETURNING 1
