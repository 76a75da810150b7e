-- compatible
-- The endpoints to which a workspace's events are sent.
CREATE TABLE webhooks (
  workspace_id uuid NOT NULL REFERENCES workspaces (id),
  id           uuid NOT NULL,
  url          text NOT NULL,
  description  text,
  -- The types as the caller named them: `device.*` includes future types. Null: all types.
  types        text[],
  status       text NOT NULL DEFAULT 'enabled' CHECK (status IN ('enabled', 'disabled')),
  -- Why it is disabled. `asked`: a caller disabled it. Other values: the service disabled it, for
  -- example because the receiver failed.
  disabled_reason text,
  disabled_at  timestamptz,
  -- Encrypted with the master key.
  secret       bytea NOT NULL,
  previous_secret bytea,
  -- Both secrets sign until this time.
  previous_until timestamptz,
  created_by   text NOT NULL,
  created_at   timestamptz NOT NULL DEFAULT now(),
  updated_at   timestamptz NOT NULL DEFAULT now(),
  revision     integer NOT NULL DEFAULT 1,
  PRIMARY KEY (workspace_id, id)
);
ALTER TABLE webhooks ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON webhooks
  USING (workspace_id = NULLIF(current_setting('mooring.workspace', true), '')::uuid)
  WITH CHECK (workspace_id = NULLIF(current_setting('mooring.workspace', true), '')::uuid);
