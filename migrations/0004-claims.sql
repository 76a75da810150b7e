-- Mobile identities, their sessions, and claims that bind a device to an identity.

CREATE TABLE moids (
  id         uuid PRIMARY KEY,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- The time of the next check whether a session or a claim still needs the identity.
  check_at   timestamptz NOT NULL DEFAULT now() + interval '30 days'
);
CREATE INDEX moids_check ON moids (check_at);

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
CREATE INDEX moid_sessions_workspace ON moid_sessions (workspace_id)
  WHERE workspace_id IS NOT NULL;
CREATE INDEX moid_sessions_expiry ON moid_sessions (expires_at);
CREATE INDEX moid_sessions_ended ON moid_sessions (ended_at) WHERE ended_at IS NOT NULL;

-- A phone displays a code and a device sends it, or the other way round. The side that displays the
-- code is known from the start; the other side becomes known when the claim is bound.
CREATE TABLE claims (
  workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
  id           uuid NOT NULL,
  shown_by     text NOT NULL CHECK (shown_by IN ('phone', 'device')),
  moid_id      uuid REFERENCES moids ON DELETE CASCADE,
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
  FOREIGN KEY (workspace_id, device_id) REFERENCES devices ON DELETE CASCADE,
  CHECK (CASE shown_by WHEN 'phone' THEN moid_id IS NOT NULL ELSE device_id IS NOT NULL END),
  CHECK (status NOT IN ('bound', 'released')
         OR (moid_id IS NOT NULL AND device_id IS NOT NULL AND bound_at IS NOT NULL)),
  CHECK ((status IN ('open', 'bound')) = (ended_at IS NULL))
);
-- A device has at most one live binding and at most one open code on its display, even if requests
-- compete for it.
CREATE UNIQUE INDEX claims_bound_device ON claims (workspace_id, device_id) WHERE status = 'bound';
CREATE UNIQUE INDEX claims_shown_device ON claims (workspace_id, device_id)
  WHERE status = 'open' AND shown_by = 'device';
CREATE INDEX claims_device ON claims (workspace_id, device_id) WHERE device_id IS NOT NULL;
-- A phone whose session belongs to no workspace finds the code of a device in any workspace.
CREATE INDEX claims_shown_code ON claims (code_hash) WHERE shown_by = 'device';
CREATE INDEX claims_moid ON claims (moid_id, id) WHERE moid_id IS NOT NULL;
CREATE INDEX claims_moid_live ON claims (moid_id, status, id) WHERE status IN ('open', 'bound');
CREATE INDEX claims_open ON claims (expires_at) WHERE status = 'open';
CREATE INDEX claims_ended ON claims (ended_at) WHERE ended_at IS NOT NULL;
