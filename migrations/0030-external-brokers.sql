-- compatible
-- What is told to brokers of the brokers file. A build before this file ends the sessions of all
-- that a change of rules is about.

-- Whose rules became others: sessions of those who lost nothing go on. Null: a session is over,
-- whatever it may.
ALTER TABLE mqtt_receipts ADD COLUMN narrowed jsonb;

-- Passwords that a broker which keeps them by itself was not given yet. Each is deleted as soon as
-- the broker has it, is older than a newer one, or after a day.
CREATE TABLE mqtt_password_pushes (
  workspace_id uuid NOT NULL,
  id           uuid NOT NULL,
  -- As callers see it: of a device, a principal or a phone's login. It may not be there.
  principal_id text NOT NULL,
  -- The name of the broker in the brokers file.
  broker       text NOT NULL,
  sealed       bytea NOT NULL,
  created_at   timestamptz NOT NULL DEFAULT now(),
  -- Whoever takes the row moves this on, and has it for that long.
  next_at      timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (workspace_id, id)
);
CREATE INDEX mqtt_password_pushes_due ON mqtt_password_pushes (next_at);

ALTER TABLE mqtt_password_pushes ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON mqtt_password_pushes
  USING (workspace_id = NULLIF(current_setting('mooring.workspace', true), '')::uuid)
  WITH CHECK (workspace_id = NULLIF(current_setting('mooring.workspace', true), '')::uuid);
