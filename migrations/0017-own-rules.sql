-- compatible
-- MQTT rules that one device or one principal has of its own. A list is one row: its order is that
-- of the array, so that no two rules have one place and none is lost when many callers move them,
-- and a CONNECT finds it by its key. A build before this file knows no own rules: give a device
-- fewer rights by them once that build is gone. Two tables, because each list goes with its owner.
CREATE TABLE device_acls (
  workspace_id uuid NOT NULL,
  device_id    uuid NOT NULL,
  -- [{id (UUID), action, topic, permission, created_at, updated_at (RFC 3339)}], tried in order.
  rules        jsonb NOT NULL,
  -- A list that was never written is of revision 1.
  revision     integer NOT NULL DEFAULT 2,
  updated_at   timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (workspace_id, device_id),
  FOREIGN KEY (workspace_id, device_id) REFERENCES devices ON DELETE CASCADE
);

CREATE TABLE mqtt_principal_acls (
  workspace_id uuid NOT NULL,
  principal_id uuid NOT NULL,
  rules        jsonb NOT NULL,
  revision     integer NOT NULL DEFAULT 2,
  updated_at   timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (workspace_id, principal_id),
  FOREIGN KEY (workspace_id, principal_id) REFERENCES mqtt_principals ON DELETE CASCADE
);

ALTER TABLE device_acls ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON device_acls
  USING (workspace_id = NULLIF(current_setting('mooring.workspace', true), '')::uuid)
  WITH CHECK (workspace_id = NULLIF(current_setting('mooring.workspace', true), '')::uuid);

ALTER TABLE mqtt_principal_acls ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON mqtt_principal_acls
  USING (workspace_id = NULLIF(current_setting('mooring.workspace', true), '')::uuid)
  WITH CHECK (workspace_id = NULLIF(current_setting('mooring.workspace', true), '')::uuid);
