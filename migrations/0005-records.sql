-- Records of what happened: events, and the audit log with its hash chain. Also the change feed
-- between processes, stored responses for Idempotency-Key, rate limits, and the running processes.

CREATE TABLE events (
  workspace_id uuid NOT NULL,
  id           uuid NOT NULL,
  type         text NOT NULL,
  subject_id   uuid,
  data         jsonb NOT NULL,
  occurred_at  timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (workspace_id, id)
);

-- `workspace_id` is the nil UUID for entries of the installation (sign-ins, unknown API keys).
CREATE TABLE audit_log (
  workspace_id uuid NOT NULL,
  id           uuid NOT NULL,
  -- Precise to milliseconds: the hash chain is computed over the entry as the API returns it.
  occurred_at  timestamptz(3) NOT NULL DEFAULT now(),
  actor_kind   text NOT NULL,
  actor_id     text,
  action       text NOT NULL,
  resource_kind text,
  resource_id  text,
  request_id   text,
  address      text,
  detail       jsonb NOT NULL DEFAULT '{}',
  -- `seq` and `hash` are set after the commit, when the entry is appended to the workspace's chain.
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
  -- The MAC of `workspace_id`, `seq` and `hash`. Its key is not in the database in plain text.
  mac          bytea NOT NULL,
  sealed_at    timestamptz NOT NULL
);

-- Every change that narrows a right inserts a row. All processes poll this table several times a
-- second and drop the cached values that a change affects. `xid` is the transaction that inserted
-- the row: a poll also finds rows of transactions that were in progress at the previous poll.
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
