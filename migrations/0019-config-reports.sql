-- compatible
-- The latest report of each device about the configuration that it received. Earlier builds do not
-- read these reports.
CREATE TABLE device_config_reports (
  workspace_id uuid NOT NULL,
  device_id    uuid NOT NULL,
  -- The version and the hash as the device reported them. Null: not reported.
  version      integer,
  sha256       text,
  status       text NOT NULL,
  error        text,
  reported_at  timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (workspace_id, device_id),
  FOREIGN KEY (workspace_id, device_id) REFERENCES devices ON DELETE CASCADE
);

ALTER TABLE device_config_reports ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON device_config_reports
  USING (workspace_id = NULLIF(current_setting('mooring.workspace', true), '')::uuid)
  WITH CHECK (workspace_id = NULLIF(current_setting('mooring.workspace', true), '')::uuid);
