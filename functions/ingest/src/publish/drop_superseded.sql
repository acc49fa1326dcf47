-- Text of versions of the object that were never active, or whose time of keeping is over; vectors go with it.
DELETE FROM vouch.document_chunks c
USING vouch.documents d, vouch.tenants t
WHERE t.tenant_id = vouch.current_tenant()
  AND d.tenant_id = t.tenant_id AND d.source_uri = $1 AND d.state = 'superseded'
  AND (d.valid_from IS NULL OR t.keep_superseded = interval '0' OR d.valid_to <= now() - t.keep_superseded)
  AND c.tenant_id = d.tenant_id AND c.document_id = d.document_id
