-- The query role reads and nothing else: PUBLIC may make temporary tables in a new database, and so it could too.

DO $$
BEGIN
    EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', current_database());
END
$$;
