-- compatible
-- A job has the status `cancelling` when it is cancelled while some of its devices are being
-- changed, until these changes are done. Meanwhile `ended_at` is the time of the request, because
-- earlier builds start no devices of a job that has an `ended_at`.
ALTER TABLE jobs
  ADD COLUMN cancel_origin jsonb,
  DROP CONSTRAINT jobs_status_check,
  ADD CONSTRAINT jobs_status_check CHECK (
    status IN ('preparing', 'running', 'cancelling', 'completed', 'cancelled', 'failed'));
