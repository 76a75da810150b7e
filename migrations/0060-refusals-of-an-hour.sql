-- no-transaction
-- compatible
-- The refused attempts of a workspace's devices, newest first, for its overview.
DROP INDEX CONCURRENTLY IF EXISTS connection_attempts_refused;
CREATE INDEX CONCURRENTLY connection_attempts_refused ON connection_attempts (workspace_id, last_at)
  WHERE refusal IS NOT NULL;
