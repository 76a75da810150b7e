-- compatible
-- Who watches messages, so that every process passes on what its clients publish.
CREATE TABLE mqtt_tails (
  workspace_id uuid NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  id uuid NOT NULL,
  -- The process that has the stream.
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

-- What other processes have seen for a tail: taken from here within a fraction of a second.
CREATE TABLE mqtt_tail_messages (
  workspace_id uuid NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  tail_id uuid NOT NULL,
  id uuid NOT NULL,
  -- Messages, and how many were left out.
  batch jsonb NOT NULL,
  PRIMARY KEY (workspace_id, tail_id, id)
);
ALTER TABLE mqtt_tail_messages ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON mqtt_tail_messages
  USING (workspace_id = NULLIF(current_setting('mooring.workspace', true), '')::uuid)
  WITH CHECK (workspace_id = NULLIF(current_setting('mooring.workspace', true), '')::uuid);
