-- no-transaction
-- compatible
-- The devices of a workspace whose sessions replace each other, for its overview.
DROP INDEX CONCURRENTLY IF EXISTS connection_attempts_replaced;
CREATE INDEX CONCURRENTLY connection_attempts_replaced ON connection_attempts (workspace_id, replaced_at)
  WHERE replaced_at IS NOT NULL;
