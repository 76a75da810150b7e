-- compatible
-- Changes of rules and passwords that must reach the brokers of the brokers file. After a change of
-- rules, earlier builds end the sessions of all clients that the change concerns.

-- A receipt with a value is about rules only: sessions of clients that have lost no permission
-- continue. The value is an object with the former and the new rules of a template, or with the
-- UUIDs of the devices concerned. An empty object concerns the subject itself. Null: all sessions
-- of the subject end, whatever their permissions.
ALTER TABLE mqtt_receipts ADD COLUMN narrowed jsonb;

-- Passwords for brokers that store passwords themselves, until the broker has received them. A row
-- is deleted when the broker has the password (since 0031: some minutes later), when a newer
-- password replaces it, or after a day.
CREATE TABLE mqtt_password_pushes (
  workspace_id uuid NOT NULL,
  id           uuid NOT NULL,
  -- The public id of a device, an MQTT principal or a phone's MQTT login, which may no longer
  -- exist.
  principal_id text NOT NULL,
  -- The name of the broker in the brokers file.
  broker       text NOT NULL,
  sealed       bytea NOT NULL,
  created_at   timestamptz NOT NULL DEFAULT now(),
  -- The time from which a process may take the row. The process that takes it advances this time,
  -- and holds the row until then.
  next_at      timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (workspace_id, id)
);
CREATE INDEX mqtt_password_pushes_due ON mqtt_password_pushes (next_at);

ALTER TABLE mqtt_password_pushes ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON mqtt_password_pushes
  USING (workspace_id = NULLIF(current_setting('mooring.workspace', true), '')::uuid)
  WITH CHECK (workspace_id = NULLIF(current_setting('mooring.workspace', true), '')::uuid);
