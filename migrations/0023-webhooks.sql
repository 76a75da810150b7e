-- compatible
-- Where events are sent to.
CREATE TABLE webhooks (
  workspace_id uuid NOT NULL REFERENCES workspaces (id),
  id           uuid NOT NULL,
  url          text NOT NULL,
  description  text,
  -- As they were named: `device.*` stands for types that are still to come. Null: all.
  types        text[],
  status       text NOT NULL DEFAULT 'enabled' CHECK (status IN ('enabled', 'disabled')),
  -- Why: `asked`, or what its receiver did.
  disabled_reason text,
  disabled_at  timestamptz,
  -- Sealed under the master key.
  secret       bytea NOT NULL,
  previous_secret bytea,
  -- Until then both secrets sign.
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
