-- compatible
-- The open streams of live messages (tails). Every process reads this table and forwards the
-- matching messages of its own clients.
CREATE TABLE mqtt_tails (
  workspace_id uuid NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  id uuid NOT NULL,
  -- The process that serves the stream.
  node_id uuid NOT NULL,
  slug text NOT NULL,
  filter text NOT NULL,
  has_config boolean NOT NULL,
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (workspace_id, id)
);
ALTER TABLE mqtt_tails ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON mqtt_tails
  USING (workspace_id = NULLIF(current_setting('mooring.workspace', true), '')::uuid)
  WITH CHECK (workspace_id = NULLIF(current_setting('mooring.workspace', true), '')::uuid);

-- Messages that other processes forward to a tail. The process that serves the tail takes and
-- deletes them within a fraction of a second.
CREATE TABLE mqtt_tail_messages (
  workspace_id uuid NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  tail_id uuid NOT NULL,
  id uuid NOT NULL,
  -- The messages, and the number of messages that were left out.
  batch jsonb NOT NULL,
  PRIMARY KEY (workspace_id, tail_id, id)
);
ALTER TABLE mqtt_tail_messages ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON mqtt_tail_messages
  USING (workspace_id = NULLIF(current_setting('mooring.workspace', true), '')::uuid)
  WITH CHECK (workspace_id = NULLIF(current_setting('mooring.workspace', true), '')::uuid);
