-- compatible
-- Saved views of the device list: the filter and the displayed columns.
CREATE TABLE views (
  workspace_id uuid NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  id uuid NOT NULL,
  -- The member who owns the view. Null: all members share it.
  user_id uuid,
  name text NOT NULL,
  filter text,
  columns jsonb,
  -- The public id of the user or the API key.
  created_by text NOT NULL,
  revision integer NOT NULL DEFAULT 1,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (workspace_id, id),
  -- The own views of a member are deleted with the membership.
  FOREIGN KEY (workspace_id, user_id) REFERENCES memberships (workspace_id, user_id)
    ON DELETE CASCADE
);
CREATE UNIQUE INDEX views_own_name ON views (workspace_id, user_id, name)
  WHERE user_id IS NOT NULL;
CREATE UNIQUE INDEX views_shared_name ON views (workspace_id, name) WHERE user_id IS NULL;
ALTER TABLE views ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON views
  USING (workspace_id = NULLIF(current_setting('mooring.workspace', true), '')::uuid)
  WITH CHECK (workspace_id = NULLIF(current_setting('mooring.workspace', true), '')::uuid);
