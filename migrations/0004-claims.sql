-- Mobile identities, their sessions, and claims that bind a device to one of them.

CREATE TABLE moids (
  id         uuid PRIMARY KEY,
  created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE moid_sessions (
  id           uuid PRIMARY KEY,
  moid_id      uuid NOT NULL REFERENCES moids ON DELETE CASCADE,
  workspace_id uuid REFERENCES workspaces ON DELETE CASCADE,
  salt         bytea NOT NULL,
  generation   integer NOT NULL DEFAULT 1,
  created_at   timestamptz NOT NULL DEFAULT now(),
  rotated_at   timestamptz NOT NULL DEFAULT now(),
  expires_at   timestamptz NOT NULL,
  ended_at     timestamptz,
  end_reason   text
);
CREATE INDEX moid_sessions_moid ON moid_sessions (moid_id);
CREATE INDEX moid_sessions_expiry ON moid_sessions (expires_at) WHERE ended_at IS NULL;

CREATE TABLE claims (
  workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
  id           uuid NOT NULL,
  moid_id      uuid NOT NULL REFERENCES moids ON DELETE CASCADE,
  name         text,
  code_hash    bytea NOT NULL,
  status       text NOT NULL DEFAULT 'open'
               CHECK (status IN ('open', 'bound', 'released', 'expired', 'cancelled')),
  device_id    uuid,
  expires_at   timestamptz NOT NULL,
  created_at   timestamptz NOT NULL DEFAULT now(),
  bound_at     timestamptz,
  ended_at     timestamptz,
  revision     integer NOT NULL DEFAULT 1,
  PRIMARY KEY (workspace_id, id),
  CONSTRAINT claims_code UNIQUE (workspace_id, code_hash),
  FOREIGN KEY (workspace_id, device_id) REFERENCES devices ON DELETE CASCADE
);
-- At most one live binding for a device, whoever races for it.
CREATE UNIQUE INDEX claims_bound_device ON claims (workspace_id, device_id) WHERE status = 'bound';
CREATE INDEX claims_moid ON claims (moid_id, id);
CREATE INDEX claims_open ON claims (expires_at) WHERE status = 'open';
