-- compatible
-- What workspaces use. Processes count in memory and write what they have counted every few seconds:
-- an entry of the ledger for each workspace and template, the hour that it falls into, and the
-- month. All three in one statement, so that the hours can always be made anew from the entries.

-- `template_id` is nil for clients without a template and for calls of the API, and all ones for the
-- workspace as a whole, of which only the peak of connected devices is told.
CREATE TABLE usage_entries (
  workspace_id      uuid NOT NULL,
  hour              timestamptz NOT NULL,
  template_id       uuid NOT NULL,
  -- The process that counted; nil for what was folded together of older entries.
  node_id           uuid NOT NULL,
  seq               bigint NOT NULL,
  messages          bigint NOT NULL,
  bytes             bigint NOT NULL,
  api_calls         bigint NOT NULL,
  -- A peak, not a sum.
  connected_devices bigint NOT NULL,
  PRIMARY KEY (workspace_id, hour, template_id, node_id, seq)
);
CREATE INDEX usage_entries_unfolded ON usage_entries (hour)
  WHERE node_id <> '00000000-0000-0000-0000-000000000000';

CREATE TABLE usage_hours (
  workspace_id      uuid NOT NULL,
  hour              timestamptz NOT NULL,
  template_id       uuid NOT NULL,
  messages          bigint NOT NULL,
  bytes             bigint NOT NULL,
  api_calls         bigint NOT NULL,
  connected_devices bigint NOT NULL,
  PRIMARY KEY (workspace_id, hour, template_id)
) WITH (fillfactor = 70);

-- What limits are compared with.
CREATE TABLE usage_months (
  workspace_id      uuid NOT NULL,
  month             timestamptz NOT NULL,
  messages          bigint NOT NULL,
  bytes             bigint NOT NULL,
  api_calls         bigint NOT NULL,
  connected_devices bigint NOT NULL,
  PRIMARY KEY (workspace_id, month)
) WITH (fillfactor = 70);
CREATE INDEX usage_months_by_month ON usage_months (month, workspace_id);

-- Each warning is given once.
CREATE TABLE usage_thresholds (
  workspace_id uuid NOT NULL,
  month        timestamptz NOT NULL,
  meter        text NOT NULL,
  threshold    smallint NOT NULL,
  reached_at   timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT usage_thresholds_once PRIMARY KEY (workspace_id, month, meter, threshold)
);

-- The last batch of each process that is written: one whose answer was lost is sent again, and must
-- not count twice.
CREATE TABLE usage_writers (
  node_id    uuid PRIMARY KEY,
  seq        bigint NOT NULL,
  written_at timestamptz NOT NULL
);

-- Nothing is written into the hours before this time any more.
CREATE TABLE usage_horizon (
  is_only      boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  closed_until timestamptz NOT NULL
);
INSERT INTO usage_horizon (closed_until) VALUES ('2000-01-01T00:00:00Z');

DO $$
DECLARE
  name text;
  rule text :=
    'workspace_id = NULLIF(current_setting(''mooring.workspace'', true), '''')::uuid';
BEGIN
  FOREACH name IN ARRAY ARRAY['usage_entries', 'usage_hours', 'usage_months', 'usage_thresholds']
  LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY workspace ON %I USING (%s) WITH CHECK (%s)', name, rule, rule);
  END LOOP;
END $$;
