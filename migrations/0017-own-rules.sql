-- compatible
-- MQTT rules that belong to one device or one principal. A list of rules is one row. The order of
-- the rules is the order of the array, so no two rules have the same position and no rule is lost
-- when many callers move rules. A CONNECT reads the list by its primary key. Earlier builds ignore
-- these rules: use them to restrict a device only when no such build runs any more. There are two
-- tables, because each list is deleted with its owner.
CREATE TABLE device_acls (
  workspace_id uuid NOT NULL,
  device_id    uuid NOT NULL,
  -- [{id (UUID), action, topic, permission, created_at, updated_at (RFC 3339)}], evaluated in
  -- order.
  rules        jsonb NOT NULL,
  -- A list that was never written counts as revision 1.
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
