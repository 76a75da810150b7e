-- Workspaces, their members, and their API keys.

CREATE TABLE workspaces (
  id         uuid PRIMARY KEY,
  name       text NOT NULL,
  slug       text NOT NULL CONSTRAINT workspaces_slug_key UNIQUE,
  status     text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'suspended', 'deleting')),
  revision   integer NOT NULL DEFAULT 1,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE memberships (
  workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
  user_id      uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  role         text NOT NULL CHECK (role IN ('owner', 'admin', 'member', 'viewer')),
  created_at   timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (workspace_id, user_id)
);
CREATE INDEX memberships_user ON memberships (user_id);

CREATE TABLE api_keys (
  workspace_id  uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
  id            uuid NOT NULL,
  kind          text NOT NULL CHECK (kind IN ('platform', 'provision')),
  name          text NOT NULL,
  hash          bytea NOT NULL,
  hint          text NOT NULL,
  template_ids  uuid[],
  actions       text[] NOT NULL DEFAULT '{register,rotate}',
  allowed_cidrs text[],
  rate_per_min  integer,
  device_quota  integer,
  -- Counted only for keys with a quota, because counting makes each registration lock this row.
  registered    integer NOT NULL DEFAULT 0,
  created_by    text NOT NULL,
  created_at    timestamptz NOT NULL DEFAULT now(),
  updated_at    timestamptz NOT NULL DEFAULT now(),
  expires_at    timestamptz,
  revoked_at    timestamptz,
  last_used_at  timestamptz,
  last_used_ip  text,
  revision      integer NOT NULL DEFAULT 1,
  PRIMARY KEY (workspace_id, id),
  CHECK (kind = 'provision' OR (expires_at IS NULL AND device_quota IS NULL))
);
CREATE UNIQUE INDEX api_keys_hash ON api_keys (hash);
