DO $$
BEGIN
    -- ALTER ROLE takes no parameters; %I and %L quote. Two migrations at once would update the same catalogue row.
    PERFORM pg_advisory_xact_lock(hashtextextended('vouch.migrations', 0));
    EXECUTE format('ALTER ROLE %I PASSWORD %L', current_setting('vouch.role'), current_setting('vouch.password'));
END
$$
