-- Every space that may hold vectors of a document: what stands and who may read it must be true in each.
SELECT space_id FROM vouch.embedding_spaces ORDER BY space_id
