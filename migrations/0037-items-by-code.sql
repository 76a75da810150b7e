-- no-transaction
-- compatible
-- Finds the items of a job by their code, for the filter of the item list. The code says why an
-- item failed or was skipped. Items that succeeded have no code and are not in the index.
DROP INDEX CONCURRENTLY IF EXISTS job_items_code;
CREATE INDEX CONCURRENTLY job_items_code ON job_items (workspace_id, job_id, code, device_id)
  WHERE code IS NOT NULL;
