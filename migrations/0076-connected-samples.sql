-- compatible
-- The peak of connected devices of a workspace in each step of five minutes. Rows are kept for
-- about a day.
CREATE TABLE connected_samples (
  workspace_id uuid NOT NULL,
  starts_at timestamptz NOT NULL,
  connected_devices bigint NOT NULL,
  PRIMARY KEY (workspace_id, starts_at)
);
ALTER TABLE connected_samples ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON connected_samples
  USING (workspace_id = nullif(current_setting('mooring.workspace', true), '')::uuid)
  WITH CHECK (workspace_id = nullif(current_setting('mooring.workspace', true), '')::uuid);
