-- What the current role could do that row-level security does not stop.
WITH tables AS (
    SELECT c.oid, c.relowner, c.relrowsecurity AND c.relforcerowsecurity AS forced, c.relname
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = 'vouch' AND c.relkind IN ('r', 'p')
)
SELECT current_user::text AS role,
       r.rolsuper AS is_superuser,
       r.rolbypassrls AS bypasses_rls,
       EXISTS (SELECT FROM tables t WHERE pg_has_role(current_user, t.relowner, 'MEMBER')) AS owns_tables,
       -- The list of spaces and the list of migrations hold nothing of any tenant.
       EXISTS (SELECT FROM tables t WHERE NOT t.forced AND t.relname NOT IN ('embedding_spaces', 'migrations')
               AND has_table_privilege(t.oid, 'SELECT')) AS unforced_tables,
       EXISTS (SELECT FROM tables t WHERE has_table_privilege(t.oid, 'INSERT, UPDATE, DELETE, TRUNCATE')) AS can_write,
       (SELECT extversion FROM pg_extension WHERE extname = 'vector') AS pgvector
FROM pg_roles r
WHERE r.rolname = current_user
