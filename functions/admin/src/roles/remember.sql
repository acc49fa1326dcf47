SELECT set_config('vouch.role', $1, true), set_config('vouch.password', $2, true)
