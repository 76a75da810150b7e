-- compatible
-- Usage before this time is not invoiced any more. The value is infinity after the last invoice of
-- a deleted workspace. If the workspace was restored, it is the hour of the restoration. Earlier
-- builds ignore this column; the only effect is that they charge the hours in between.
ALTER TABLE subscriptions ADD COLUMN billed_from timestamptz;
-- For workspaces that are already being deleted, the invoice of the month of the deletion may
-- already be issued. It was their last invoice.
UPDATE subscriptions s SET billed_from = 'infinity'
FROM workspaces w, invoices i
WHERE w.id = s.workspace_id AND w.status = 'deleting' AND i.workspace_id = w.id
  AND i.status <> 'draft'
  AND i.period_start <= w.delete_requested_at AND w.delete_requested_at < i.period_end;

-- Old hours of usage are merged into days after a long time: one row for each day and template. The
-- hours of a day are not merged if a price or an invoice begins or ends within the day. In the
-- ledger, such a merged day is one entry in its first hour, with the nil UUID as `node_id` and 1 as
-- `seq`.
CREATE TABLE usage_days (
  workspace_id      uuid NOT NULL,
  day               timestamptz NOT NULL,
  template_id       uuid NOT NULL,
  messages          bigint NOT NULL,
  bytes             bigint NOT NULL,
  api_calls         bigint NOT NULL,
  connected_devices bigint NOT NULL,
  PRIMARY KEY (workspace_id, day, template_id)
);
ALTER TABLE usage_days ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON usage_days
  USING (workspace_id = NULLIF(current_setting('mooring.workspace', true), '')::uuid)
  WITH CHECK (workspace_id = NULLIF(current_setting('mooring.workspace', true), '')::uuid);
