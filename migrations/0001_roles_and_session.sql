-- Who may connect, and how a transaction says on whose behalf it runs.
--
-- Three roles: the owner (whoever runs this file; holds the schema, used by the admin function only),
-- vouch_ingest (writes one tenant at a time) and vouch_query (reads what one principal may see).
-- Passwords are not set here: the admin function sets them from the secrets.

CREATE EXTENSION IF NOT EXISTS vector;

DO $$
BEGIN
    -- Roles belong to the cluster, so another database on it may have made them already.
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'vouch_ingest') THEN
        CREATE ROLE vouch_ingest LOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE;
    END IF;
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'vouch_query') THEN
        CREATE ROLE vouch_query LOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE;
    END IF;
EXCEPTION
    WHEN duplicate_object OR unique_violation THEN
        NULL; -- a migration of a second database made them between the look and the act
END
$$;

CREATE SCHEMA IF NOT EXISTS vouch;
COMMENT ON SCHEMA vouch IS 'Everything that Vouch stores. Names are always written with the schema, so no search_path is relied on.';
GRANT USAGE ON SCHEMA vouch TO vouch_ingest, vouch_query;
REVOKE CREATE ON SCHEMA public FROM PUBLIC;

-- The session settings are set transaction-locally (set_config(..., true)), never by SET: under a
-- connection pooler a session-level setting would pin the connection and could outlive its request.
-- An absent or empty setting yields NULL or an empty array, which no policy below accepts.

CREATE FUNCTION vouch.current_tenant() RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN nullif(current_setting('vouch.tenant', true), '');
COMMENT ON FUNCTION vouch.current_tenant() IS 'The tenant this transaction acts for; NULL (nothing is visible) when none was set.';

CREATE FUNCTION vouch.current_scopes() RETURNS text[]
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN coalesce(nullif(current_setting('vouch.scopes', true), '')::text[], '{}');
COMMENT ON FUNCTION vouch.current_scopes() IS 'The access scopes of this transaction''s principal; empty (nothing is visible) when none were set.';

CREATE FUNCTION vouch.current_as_of() RETURNS timestamptz
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN nullif(current_setting('vouch.as_of', true), '')::timestamptz;
COMMENT ON FUNCTION vouch.current_as_of() IS 'The instant whose versions this transaction may read besides the live ones; NULL when only live ones are wanted.';

CREATE TABLE vouch.tenants (
    tenant_id       text        PRIMARY KEY CHECK (tenant_id ~ '^[a-z0-9][a-z0-9_-]{0,62}$'),
    default_scope   text[]      NOT NULL DEFAULT '{everyone}',
    keep_superseded interval    NOT NULL DEFAULT '0' CHECK (keep_superseded >= interval '0'),
    created_at      timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE  vouch.tenants                 IS 'Organisations whose documents are kept apart. Objects of a tenant that is not listed here are ignored.';
COMMENT ON COLUMN vouch.tenants.tenant_id       IS 'The slug: first segment of every object key, and the value of the tenant claim.';
COMMENT ON COLUMN vouch.tenants.default_scope   IS 'Scopes of a document whose object names none. {everyone} means each principal of the tenant; {} means nobody.';
COMMENT ON COLUMN vouch.tenants.keep_superseded IS 'How long superseded versions stay readable with as_of; 0 drops them as soon as they are superseded.';
COMMENT ON COLUMN vouch.tenants.created_at      IS 'When the tenant was added.';

ALTER TABLE vouch.tenants ENABLE ROW LEVEL SECURITY;
ALTER TABLE vouch.tenants FORCE ROW LEVEL SECURITY;
GRANT SELECT ON vouch.tenants TO vouch_ingest, vouch_query;
CREATE POLICY own_tenant ON vouch.tenants FOR SELECT TO vouch_ingest, vouch_query
    USING (tenant_id = (SELECT vouch.current_tenant()));
-- The operator adds and removes tenants, so the owner alone sees the list.
CREATE POLICY operator ON vouch.tenants FOR ALL TO CURRENT_USER USING (true) WITH CHECK (true);
