-- no-transaction
-- compatible
-- Finds the events of one device in the order of the feed.
DROP INDEX CONCURRENTLY IF EXISTS events_subject;
CREATE INDEX CONCURRENTLY events_subject ON events (workspace_id, subject_id, seq, id)
  WHERE subject_id IS NOT NULL;
