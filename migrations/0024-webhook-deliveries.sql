-- compatible
-- How far each webhook has come in the feed of events, which process sends for it, and what it has
-- sent. docs/decisions/0043-webhook-delivery.md tells how they work together.
CREATE TABLE webhook_cursors (
  workspace_id  uuid NOT NULL,
  webhook_id    uuid NOT NULL,
  -- Every event up to this one was sent, or waits in webhook_deliveries, or is of another type.
  seq           bigint NOT NULL,
  event_id      uuid NOT NULL,
  -- The process that sends, until its time is over; what it writes counts with its epoch only.
  holder        uuid,
  lease_until   timestamptz,
  epoch         bigint NOT NULL DEFAULT 0,
  -- Failures since the last success, and since when.
  failures      integer NOT NULL DEFAULT 0,
  failing_since timestamptz,
  -- The receiver is left alone until then, and then tried with one delivery.
  probe_at      timestamptz,
  PRIMARY KEY (workspace_id, webhook_id),
  FOREIGN KEY (workspace_id, webhook_id) REFERENCES webhooks (workspace_id, id) ON DELETE CASCADE
) WITH (fillfactor = 50);
ALTER TABLE webhook_cursors ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON webhook_cursors
  USING (workspace_id = NULLIF(current_setting('mooring.workspace', true), '')::uuid)
  WITH CHECK (workspace_id = NULLIF(current_setting('mooring.workspace', true), '')::uuid);

-- Those of a webhook that was deleted are deleted later, in batches: there may be many.
CREATE TABLE webhook_deliveries (
  workspace_id   uuid NOT NULL,
  webhook_id     uuid NOT NULL,
  id             uuid NOT NULL,
  event_id       uuid NOT NULL,
  seq            bigint NOT NULL,
  -- The device whose events keep their order, if there is one.
  subject_id     uuid,
  type           text NOT NULL,
  status         text NOT NULL CHECK (status IN ('waiting', 'delivered', 'dead')),
  tries          integer NOT NULL,
  -- Of the tries since it began to wait.
  first_tried_at timestamptz,
  tried_at       timestamptz,
  -- Null while it waits behind an earlier event of its device, and once it has ended.
  next_try_at    timestamptz,
  -- When it was last called up before its time, since the receiver was back.
  hurried_at     timestamptz,
  -- The last tries, the oldest first.
  attempts       jsonb NOT NULL,
  PRIMARY KEY (workspace_id, webhook_id, id)
);
CREATE UNIQUE INDEX webhook_deliveries_waiting
  ON webhook_deliveries (workspace_id, webhook_id, event_id) WHERE status = 'waiting';
CREATE INDEX webhook_deliveries_due
  ON webhook_deliveries (workspace_id, webhook_id, next_try_at)
  WHERE status = 'waiting';
CREATE INDEX webhook_deliveries_line
  ON webhook_deliveries (workspace_id, webhook_id, subject_id, seq, event_id)
  WHERE status = 'waiting';
CREATE INDEX webhook_deliveries_open
  ON webhook_deliveries (workspace_id, webhook_id, status, id) WHERE status <> 'delivered';
ALTER TABLE webhook_deliveries ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON webhook_deliveries
  USING (workspace_id = NULLIF(current_setting('mooring.workspace', true), '')::uuid)
  WITH CHECK (workspace_id = NULLIF(current_setting('mooring.workspace', true), '')::uuid);
