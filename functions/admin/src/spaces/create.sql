SELECT vouch.create_embedding_space($1, $2, $3, $4), vouch.activate_embedding_space($1)
