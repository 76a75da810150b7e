-- no-transaction
-- compatible
-- Events get a number when they are written, so that they can be read in one order: events of one
-- device are written under the lock of its row. The transaction gets its own number first; see
-- docs/decisions/0042-event-feed.md for why a reader needs that. The column is added with a
-- constant, which rewrites no row, and then given its default: what was there before has 0.
CREATE SEQUENCE IF NOT EXISTS events_seq;
GRANT USAGE ON SEQUENCE events_seq TO PUBLIC;
ALTER TABLE events ADD COLUMN IF NOT EXISTS seq bigint NOT NULL DEFAULT 0;
ALTER TABLE events ALTER COLUMN seq
  SET DEFAULT CASE WHEN pg_current_xact_id() IS NOT NULL THEN nextval('events_seq') END;

DROP INDEX CONCURRENTLY IF EXISTS events_feed;
CREATE INDEX CONCURRENTLY events_feed ON events (workspace_id, seq, id);

-- The last event of a workspace that retention has deleted: a reader before it has missed some.
CREATE TABLE IF NOT EXISTS event_floors (
  workspace_id uuid PRIMARY KEY,
  seq          bigint NOT NULL,
  id           uuid NOT NULL
);
ALTER TABLE event_floors ENABLE ROW LEVEL SECURITY;
DROP POLICY IF EXISTS workspace ON event_floors;
CREATE POLICY workspace ON event_floors
  USING (workspace_id = NULLIF(current_setting('mooring.workspace', true), '')::uuid)
  WITH CHECK (workspace_id = NULLIF(current_setting('mooring.workspace', true), '')::uuid);
