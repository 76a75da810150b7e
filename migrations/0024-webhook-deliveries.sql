-- compatible
-- The position of each webhook in the event feed, the process that sends for it, and its
-- deliveries. docs/decisions/0043-webhook-delivery.md describes how they work together.
CREATE TABLE webhook_cursors (
  workspace_id  uuid NOT NULL,
  webhook_id    uuid NOT NULL,
  -- Each event up to this position was delivered or given up, waits in webhook_deliveries, or has a
  -- type that the webhook does not receive.
  seq           bigint NOT NULL,
  event_id      uuid NOT NULL,
  -- The process that sends, until its lease ends. Its writes take effect only while `epoch` is that
  -- of its lease.
  holder        uuid,
  lease_until   timestamptz,
  epoch         bigint NOT NULL DEFAULT 0,
  -- The number of failures since the last success, and the time of the first of them.
  failures      integer NOT NULL DEFAULT 0,
  failing_since timestamptz,
  -- The circuit of the receiver is open until this time. Then one delivery is sent as a probe.
  -- Null: the circuit is closed.
  probe_at      timestamptz,
  PRIMARY KEY (workspace_id, webhook_id),
  FOREIGN KEY (workspace_id, webhook_id) REFERENCES webhooks (workspace_id, id) ON DELETE CASCADE
) WITH (fillfactor = 50);
ALTER TABLE webhook_cursors ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON webhook_cursors
  USING (workspace_id = NULLIF(current_setting('mooring.workspace', true), '')::uuid)
  WITH CHECK (workspace_id = NULLIF(current_setting('mooring.workspace', true), '')::uuid);

-- The deliveries of a deleted webhook are deleted later, in batches, because there may be many.
CREATE TABLE webhook_deliveries (
  workspace_id   uuid NOT NULL,
  webhook_id     uuid NOT NULL,
  id             uuid NOT NULL,
  event_id       uuid NOT NULL,
  seq            bigint NOT NULL,
  -- The device whose events are sent in order. Null: the event belongs to no device.
  subject_id     uuid,
  type           text NOT NULL,
  status         text NOT NULL CHECK (status IN ('waiting', 'delivered', 'dead')),
  tries          integer NOT NULL,
  -- The first attempt since the delivery was created or last redelivered, and the latest attempt.
  first_tried_at timestamptz,
  tried_at       timestamptz,
  -- Null: it waits for an earlier event of its device, or it has ended.
  next_try_at    timestamptz,
  -- The last time that its next attempt was made due early, because the receiver had recovered.
  hurried_at     timestamptz,
  -- The latest attempts, oldest first.
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
