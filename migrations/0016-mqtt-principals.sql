-- compatible
-- Who uses MQTT and is no device: backends, dashboards, bridges, and phones. A build before this file
-- knows none of them, and refuses their CONNECT.
CREATE TABLE mqtt_principals (
  workspace_id       uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
  id                 uuid NOT NULL,
  name               text NOT NULL,
  description        text NOT NULL DEFAULT '',
  status             text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'suspended')),
  -- From then on it is refused, whatever its secret is worth; null: never.
  expires_at         timestamptz,
  rotation_overlap_s integer NOT NULL DEFAULT 604800,
  -- The generation of the newest secret; it only grows.
  secret_generation  integer NOT NULL DEFAULT 1,
  -- Connections that began before it are ended; microseconds since the epoch, as brokers number them.
  sessions_from      bigint NOT NULL DEFAULT 0,
  -- The incarnation and the time of its latest connection, written in batches.
  last_incarnation   bigint NOT NULL DEFAULT 0,
  last_connected_at  timestamptz,
  -- As callers see it: the user or the key that made it.
  created_by         text NOT NULL,
  revision           integer NOT NULL DEFAULT 1,
  created_at         timestamptz NOT NULL DEFAULT now(),
  updated_at         timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (workspace_id, id),
  CONSTRAINT mqtt_principals_name UNIQUE (workspace_id, name)
);
-- A CONNECT names only the principal.
CREATE INDEX mqtt_principals_id ON mqtt_principals (id);

-- Keyed hashes, as of devices: `expires_at` is null for a confirmed secret; a pending one admits
-- until then. The first use of a pending secret confirms it and deletes the older ones.
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

-- Who tried to connect as a principal, as `connection_attempts` has it of devices.
CREATE TABLE mqtt_principal_attempts (
  workspace_id     uuid NOT NULL,
  principal_id     uuid NOT NULL,
  id               uuid NOT NULL,
  -- Null when it was accepted.
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

-- Short-lived logins of phones, for the devices that the identity holds in one workspace.
CREATE TABLE moid_mqtt_logins (
  workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
  id           uuid NOT NULL,
  moid_id      uuid NOT NULL REFERENCES moids ON DELETE CASCADE,
  -- It ends with the session that asked for it.
  session_id   uuid NOT NULL REFERENCES moid_sessions ON DELETE CASCADE,
  hash         bytea NOT NULL,
  expires_at   timestamptz NOT NULL,
  created_at   timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (workspace_id, id)
);
-- A CONNECT names only the login.
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
