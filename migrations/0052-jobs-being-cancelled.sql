-- compatible
-- A job that is cancelled while some of its devices are being changed is `cancelling` until they are
-- done. `ended_at` is then the time of the request, because a build before this one starts no
-- devices of a job that has it.
ALTER TABLE jobs
  ADD COLUMN cancel_origin jsonb,
  DROP CONSTRAINT jobs_status_check,
  ADD CONSTRAINT jobs_status_check CHECK (
    status IN ('preparing', 'running', 'cancelling', 'completed', 'cancelled', 'failed'));
