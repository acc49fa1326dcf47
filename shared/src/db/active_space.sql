SELECT space_id, model, dimension, element_type
FROM vouch.embedding_spaces
WHERE state = 'active'
