-- no-transaction
-- compatible
-- Secrets that signed before, by when they end: what has ended is forgotten.
DROP INDEX CONCURRENTLY IF EXISTS webhooks_by_previous_until;
CREATE INDEX CONCURRENTLY webhooks_by_previous_until ON webhooks (previous_until)
  WHERE previous_secret IS NOT NULL;
