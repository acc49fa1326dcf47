-- One runner at a time; the second finds the first one's work done.
SELECT pg_advisory_xact_lock(hashtextextended('vouch.migrations', 0));
CREATE SCHEMA IF NOT EXISTS vouch;
CREATE TABLE IF NOT EXISTS vouch.migrations (
    version    integer     PRIMARY KEY,
    name       text        NOT NULL,
    sha        text        NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE  vouch.migrations            IS 'Migrations that this database has.';
COMMENT ON COLUMN vouch.migrations.version    IS 'Number of the migration''s file.';
COMMENT ON COLUMN vouch.migrations.name       IS 'Name of the migration''s file, without number and ending.';
COMMENT ON COLUMN vouch.migrations.sha        IS 'SHA-256 of the statements that were run, in hexadecimal.';
COMMENT ON COLUMN vouch.migrations.applied_at IS 'When they were run.';
