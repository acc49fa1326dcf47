SELECT tenant_id FROM vouch.tenants WHERE tenant_id = $1
