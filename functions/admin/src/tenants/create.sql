INSERT INTO vouch.tenants AS t (tenant_id, default_scope) VALUES ($1, $2)
ON CONFLICT (tenant_id) DO UPDATE SET default_scope = CASE WHEN $3 THEN excluded.default_scope ELSE t.default_scope END
-- A row that no transaction has updated was inserted by this one.
RETURNING t.xmax = 0 AS created, t.default_scope
