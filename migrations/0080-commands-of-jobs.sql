-- no-transaction
-- compatible
-- The job or campaign that issued a command, and the caller and reason of its cancellation. Null:
-- no job or campaign issued the command, it was not cancelled, or it is older than these columns.
ALTER TABLE device_commands
  ADD COLUMN IF NOT EXISTS job_id uuid,
  ADD COLUMN IF NOT EXISTS rotation_campaign_id uuid,
  ADD COLUMN IF NOT EXISTS cancelled_by text,
  ADD COLUMN IF NOT EXISTS cancel_reason text;

ALTER TABLE device_commands DROP CONSTRAINT IF EXISTS device_commands_cancel_reason_check;
ALTER TABLE device_commands
  ADD CONSTRAINT device_commands_cancel_reason_check
    CHECK (cancel_reason IN ('request', 'credentials_reset')) NOT VALID;
-- VALIDATE CONSTRAINT takes a lock that allows reads and writes.
ALTER TABLE device_commands VALIDATE CONSTRAINT device_commands_cancel_reason_check;

-- Finds the commands of a job, which are counted and displayed with the devices of the job.
DROP INDEX CONCURRENTLY IF EXISTS device_commands_job;
CREATE INDEX CONCURRENTLY device_commands_job ON device_commands (workspace_id, job_id, device_id)
  WHERE job_id IS NOT NULL;
