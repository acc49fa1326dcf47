SELECT version, sha FROM vouch.migrations ORDER BY version
