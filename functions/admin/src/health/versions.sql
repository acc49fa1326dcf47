SELECT current_setting('server_version'),
       (SELECT extversion FROM pg_extension WHERE extname = 'vector'),
       (SELECT coalesce(max(version), 0) FROM vouch.migrations),
       (SELECT count(*) FROM vouch.tenants)
