-- compatible
-- MQTT clients that are not devices: backends, dashboards, bridges, and phones. Earlier builds do
-- not know these clients and refuse their CONNECT.
CREATE TABLE mqtt_principals (
  workspace_id       uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
  id                 uuid NOT NULL,
  name               text NOT NULL,
  description        text NOT NULL DEFAULT '',
  status             text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'suspended')),
  -- The time from which it is refused. Null: it does not expire.
  expires_at         timestamptz,
  rotation_overlap_s integer NOT NULL DEFAULT 604800,
  -- The generation of the newest secret. It only increases.
  secret_generation  integer NOT NULL DEFAULT 1,
  -- Connections that began before this time are ended. The unit is microseconds since the epoch, as
  -- in the incarnations by which brokers number connections.
  sessions_from      bigint NOT NULL DEFAULT 0,
  -- The incarnation and the time of the latest connection. They are written in batches.
  last_incarnation   bigint NOT NULL DEFAULT 0,
  last_connected_at  timestamptz,
  -- The public id of the user or the API key that created it.
  created_by         text NOT NULL,
  revision           integer NOT NULL DEFAULT 1,
  created_at         timestamptz NOT NULL DEFAULT now(),
  updated_at         timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (workspace_id, id),
  CONSTRAINT mqtt_principals_name UNIQUE (workspace_id, name)
);
-- A CONNECT names only the principal, not its workspace.
CREATE INDEX mqtt_principals_id ON mqtt_principals (id);

-- Keyed hashes of the secrets, as for devices. `expires_at` is null for a confirmed secret. A
-- pending secret is accepted until `expires_at`. The first use of a pending secret confirms it and
-- deletes the older secrets.
CREATE TABLE mqtt_principal_secrets (
  workspace_id uuid NOT NULL,
  principal_id uuid NOT NULL,
  generation   integer NOT NULL,
  hash         bytea NOT NULL,
  expires_at   timestamptz,
  created_at   timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (workspace_id, principal_id, generation),
  FOREIGN KEY (workspace_id, principal_id) REFERENCES mqtt_principals ON DELETE CASCADE
);

-- Attempts to connect as a principal. `connection_attempts` is the same log for devices.
CREATE TABLE mqtt_principal_attempts (
  workspace_id     uuid NOT NULL,
  principal_id     uuid NOT NULL,
  id               uuid NOT NULL,
  -- Null: the attempt was accepted.
  refusal          text,
  attempts         integer NOT NULL,
  client_id        text NOT NULL,
  address          text NOT NULL,
  protocol_version smallint NOT NULL,
  at               timestamptz NOT NULL,
  last_at          timestamptz NOT NULL,
  ended_at         timestamptz,
  end_reason       text,
  PRIMARY KEY (workspace_id, principal_id, id),
  FOREIGN KEY (workspace_id, principal_id) REFERENCES mqtt_principals ON DELETE CASCADE
);

-- Short-lived logins of phones, for the devices that the identity has claimed in one workspace.
CREATE TABLE moid_mqtt_logins (
  workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
  id           uuid NOT NULL,
  moid_id      uuid NOT NULL REFERENCES moids ON DELETE CASCADE,
  -- The login ends with the session that requested it.
  session_id   uuid NOT NULL REFERENCES moid_sessions ON DELETE CASCADE,
  hash         bytea NOT NULL,
  expires_at   timestamptz NOT NULL,
  created_at   timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (workspace_id, id)
);
-- A CONNECT names only the login, not its workspace.
CREATE INDEX moid_mqtt_logins_id ON moid_mqtt_logins (id);
CREATE INDEX moid_mqtt_logins_moid ON moid_mqtt_logins (moid_id, created_at);
CREATE INDEX moid_mqtt_logins_session ON moid_mqtt_logins (session_id);
CREATE INDEX moid_mqtt_logins_expiry ON moid_mqtt_logins (expires_at);

ALTER TABLE mqtt_principals ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON mqtt_principals
  USING (workspace_id = NULLIF(current_setting('mooring.workspace', true), '')::uuid)
  WITH CHECK (workspace_id = NULLIF(current_setting('mooring.workspace', true), '')::uuid);

ALTER TABLE mqtt_principal_secrets ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON mqtt_principal_secrets
  USING (workspace_id = NULLIF(current_setting('mooring.workspace', true), '')::uuid)
  WITH CHECK (workspace_id = NULLIF(current_setting('mooring.workspace', true), '')::uuid);

ALTER TABLE mqtt_principal_attempts ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON mqtt_principal_attempts
  USING (workspace_id = NULLIF(current_setting('mooring.workspace', true), '')::uuid)
  WITH CHECK (workspace_id = NULLIF(current_setting('mooring.workspace', true), '')::uuid);

ALTER TABLE moid_mqtt_logins ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON moid_mqtt_logins
  USING (workspace_id = NULLIF(current_setting('mooring.workspace', true), '')::uuid)
  WITH CHECK (workspace_id = NULLIF(current_setting('mooring.workspace', true), '')::uuid);
