SELECT vouch.fold_lexeme_statistics()
