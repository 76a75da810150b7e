-- no-transaction
-- compatible
-- Finds the refused connection attempts of a workspace's devices by time, for the overview of the
-- workspace. The overview reads the newest first.
DROP INDEX CONCURRENTLY IF EXISTS connection_attempts_refused;
CREATE INDEX CONCURRENTLY connection_attempts_refused ON connection_attempts (workspace_id, last_at)
  WHERE refusal IS NOT NULL;
