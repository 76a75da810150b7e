-- no-transaction
-- compatible
-- Each event gets a number when it is written, so that all readers see one order. The events of one
-- device are written under the lock of its row. The column default assigns the transaction its id
-- (xid) before the event gets its number. docs/decisions/0042-event-feed.md explains why a reader
-- needs this. The column is added with a constant default, which rewrites no row, and then gets its
-- final default. Existing events have the number 0.
CREATE SEQUENCE IF NOT EXISTS events_seq;
GRANT USAGE ON SEQUENCE events_seq TO PUBLIC;
ALTER TABLE events ADD COLUMN IF NOT EXISTS seq bigint NOT NULL DEFAULT 0;
ALTER TABLE events ALTER COLUMN seq
  SET DEFAULT CASE WHEN pg_current_xact_id() IS NOT NULL THEN nextval('events_seq') END;

DROP INDEX CONCURRENTLY IF EXISTS events_feed;
CREATE INDEX CONCURRENTLY events_feed ON events (workspace_id, seq, id);

-- The last event of each workspace that retention has deleted. A reader at an earlier position has
-- missed events.
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
