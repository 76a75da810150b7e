-- no-transaction
-- compatible
-- Which job or campaign has issued a command, and why one was cancelled. Null: none has, it was not
-- cancelled, or that was before these columns.
ALTER TABLE device_commands
  ADD COLUMN IF NOT EXISTS job_id uuid,
  ADD COLUMN IF NOT EXISTS rotation_campaign_id uuid,
  ADD COLUMN IF NOT EXISTS cancelled_by text,
  ADD COLUMN IF NOT EXISTS cancel_reason text;

ALTER TABLE device_commands DROP CONSTRAINT IF EXISTS device_commands_cancel_reason_check;
ALTER TABLE device_commands
  ADD CONSTRAINT device_commands_cancel_reason_check
    CHECK (cancel_reason IN ('request', 'credentials_reset')) NOT VALID;
-- Under a lock that lets everybody read and write.
ALTER TABLE device_commands VALIDATE CONSTRAINT device_commands_cancel_reason_check;

-- The commands of a job, which are counted and shown with its devices.
DROP INDEX CONCURRENTLY IF EXISTS device_commands_job;
CREATE INDEX CONCURRENTLY device_commands_job ON device_commands (workspace_id, job_id, device_id)
  WHERE job_id IS NOT NULL;
