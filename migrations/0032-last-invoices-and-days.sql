-- compatible
-- Nothing before this time is invoiced any more. It is infinite after the last invoice of a deleted
-- workspace, and the hour in which the workspace was brought back, if it was. The build before
-- this file would only charge the hours in between.
ALTER TABLE subscriptions ADD COLUMN billed_from timestamptz;
-- Of those that are deleted now the invoice of that month may be issued already: it was the last.
UPDATE subscriptions s SET billed_from = 'infinity'
FROM workspaces w, invoices i
WHERE w.id = s.workspace_id AND w.status = 'deleting' AND i.workspace_id = w.id
  AND i.status <> 'draft'
  AND i.period_start <= w.delete_requested_at AND w.delete_requested_at < i.period_end;

-- What becomes of hours of usage after a long time: one row for each day and template. Days within
-- which a price or an invoice begins or ends stay hours. In the ledger such a day is an entry
-- of its first hour that was folded, with the number 1.
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
