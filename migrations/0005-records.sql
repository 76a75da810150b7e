-- What happened: events, the audit log and its hash chain, the change feed between processes,
-- stored answers for Idempotency-Key, rate limits, and the processes that are running.

CREATE TABLE events (
  workspace_id uuid NOT NULL,
  id           uuid NOT NULL,
  type         text NOT NULL,
  subject_id   uuid,
  data         jsonb NOT NULL,
  occurred_at  timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (workspace_id, id)
);

-- `workspace_id` is the nil UUID for what belongs to the installation (sign-in, unknown keys).
CREATE TABLE audit_log (
  workspace_id uuid NOT NULL,
  id           uuid NOT NULL,
  -- Milliseconds: the chain is computed over what callers see of an entry.
  occurred_at  timestamptz(3) NOT NULL DEFAULT now(),
  actor_kind   text NOT NULL,
  actor_id     text,
  action       text NOT NULL,
  resource_kind text,
  resource_id  text,
  request_id   text,
  address      text,
  detail       jsonb NOT NULL DEFAULT '{}',
  -- Both are set when the entry is sealed into the workspace's chain, after its commit.
  seq          bigint,
  hash         bytea,
  PRIMARY KEY (workspace_id, id)
);
CREATE INDEX audit_log_unsealed ON audit_log (workspace_id, id) WHERE seq IS NULL;
CREATE UNIQUE INDEX audit_log_seq ON audit_log (workspace_id, seq) WHERE seq IS NOT NULL;
CREATE INDEX audit_log_resource ON audit_log (workspace_id, resource_id, id);
CREATE INDEX audit_log_actor ON audit_log (workspace_id, actor_id, id);
CREATE INDEX audit_log_action ON audit_log (workspace_id, action, id);

CREATE TABLE audit_chains (
  workspace_id uuid PRIMARY KEY,
  seq          bigint NOT NULL,
  hash         bytea NOT NULL,
  -- Over the other columns, under a key that is not in the database.
  mac          bytea NOT NULL,
  sealed_at    timestamptz NOT NULL
);

-- Written by whatever narrows a right; every process reads it several times a second and drops what
-- it has cached. `xid` lets a reader start again below the oldest transaction that was running.
CREATE TABLE changes (
  id   bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  xid  xid8 NOT NULL DEFAULT pg_current_xact_id(),
  kind text NOT NULL,
  ref  uuid NOT NULL,
  at   timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX changes_xid ON changes (xid);
CREATE INDEX changes_at ON changes (at);

CREATE TABLE idempotency_keys (
  scope       bytea NOT NULL,
  key_hash    bytea NOT NULL,
  fingerprint bytea NOT NULL,
  sealed      bytea NOT NULL,
  created_at  timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (scope, key_hash)
);
CREATE INDEX idempotency_keys_age ON idempotency_keys (created_at);

CREATE TABLE rate_limits (
  key    varchar(255) PRIMARY KEY,
  points integer NOT NULL DEFAULT 0,
  expire bigint
);

CREATE TABLE nodes (
  id         uuid PRIMARY KEY,
  started_at timestamptz NOT NULL DEFAULT now(),
  beat_at    timestamptz NOT NULL DEFAULT now()
);
