SELECT set_config('vouch.tenant', $1, true), set_config('vouch.scopes', $2::text, true), set_config('vouch.as_of', $3, true)
