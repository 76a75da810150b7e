-- no-transaction
-- compatible
-- Finds the devices of a workspace whose sessions replace each other, for the overview of the
-- workspace.
DROP INDEX CONCURRENTLY IF EXISTS connection_attempts_replaced;
CREATE INDEX CONCURRENTLY connection_attempts_replaced ON connection_attempts (workspace_id, replaced_at)
  WHERE replaced_at IS NOT NULL;
