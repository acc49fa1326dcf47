-- Whether ingestion may write to a space. $1 space_id
SELECT 1 FROM vouch.embedding_spaces WHERE space_id = $1 AND state IN ('building', 'active')
