INSERT INTO vouch.migrations (version, name, sha) VALUES ($1, $2, $3)
