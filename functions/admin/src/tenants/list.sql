SELECT tenant_id, default_scope FROM vouch.tenants ORDER BY tenant_id
