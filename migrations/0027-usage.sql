-- compatible
-- The usage of workspaces. Each process counts in memory and writes its counts every few seconds. A
-- write adds an entry to the ledger for each workspace and template, and updates the current hour
-- and the current month. One statement writes all three, so that the hours and months can always be
-- recomputed from the entries.

-- `template_id` is the nil UUID for clients without a template and for API calls. It is the UUID of
-- all ones for the workspace as a whole; these rows only contain the peak of connected devices.
CREATE TABLE usage_entries (
  workspace_id      uuid NOT NULL,
  hour              timestamptz NOT NULL,
  template_id       uuid NOT NULL,
  -- The process that counted. Nil UUID: the row was merged from older entries.
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

-- Monthly totals, with which limits are compared.
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

-- Warnings that were emitted. Each is emitted once for a workspace, month, meter and threshold.
CREATE TABLE usage_thresholds (
  workspace_id uuid NOT NULL,
  month        timestamptz NOT NULL,
  meter        text NOT NULL,
  threshold    smallint NOT NULL,
  reached_at   timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT usage_thresholds_once PRIMARY KEY (workspace_id, month, meter, threshold)
);

-- The last batch that each process has written. A process that has not received the response to a
-- batch sends the batch again, and the batch must not be counted twice.
CREATE TABLE usage_writers (
  node_id    uuid PRIMARY KEY,
  seq        bigint NOT NULL,
  written_at timestamptz NOT NULL
);

-- The hours before `closed_until` are closed: no usage is written into them any more.
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
