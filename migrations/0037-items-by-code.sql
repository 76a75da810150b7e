-- no-transaction
-- compatible
-- The items of a job by why they failed, for the filter of their list. Those that succeeded have no
-- code and cost nothing here.
DROP INDEX CONCURRENTLY IF EXISTS job_items_code;
CREATE INDEX CONCURRENTLY job_items_code ON job_items (workspace_id, job_id, code, device_id)
  WHERE code IS NOT NULL;
