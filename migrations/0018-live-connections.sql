-- compatible
-- The live MQTT sessions of all processes, the messages for the brokers of all processes, and the
-- receipts of revocations. Earlier builds write none of these rows: their sessions are not listed,
-- their brokers publish none of the messages, and their processes stay unverified in receipts.

-- The process that holds a session writes its row, in batches. A restart of the database loses no
-- row. Other processes delete the rows of a dead process. There is no foreign key to devices or
-- principals: a row exists until the broker has ended the session, even if the device was deleted
-- before.
CREATE TABLE mqtt_connections (
  workspace_id       uuid NOT NULL,
  -- The broker's id of the session. The time in the id is the time of the CONNECT.
  id                 uuid NOT NULL,
  -- The public id of the device or the other principal.
  principal_id       text NOT NULL,
  client_id          text NOT NULL,
  address            text NOT NULL,
  transport          text NOT NULL,
  protocol           text NOT NULL,
  credential_version integer NOT NULL,
  -- `embedded/<id of the process>`.
  node               text NOT NULL,
  connected_at       timestamptz NOT NULL,
  -- The time of the first request to disconnect it. The process that holds the session queries for
  -- such rows.
  cut_at             timestamptz,
  PRIMARY KEY (workspace_id, id)
);
CREATE INDEX mqtt_connections_principal ON mqtt_connections (workspace_id, principal_id, id);
CREATE INDEX mqtt_connections_client ON mqtt_connections (workspace_id, client_id, id);
CREATE INDEX mqtt_connections_address ON mqtt_connections (workspace_id, address, id);
CREATE INDEX mqtt_connections_node ON mqtt_connections (workspace_id, node, id);
-- For finding the rows of dead processes.
CREATE INDEX mqtt_connections_holder ON mqtt_connections (node);
CREATE INDEX mqtt_connections_cut ON mqtt_connections (node, id) WHERE cut_at IS NOT NULL;

ALTER TABLE mqtt_connections ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON mqtt_connections
  USING (workspace_id = NULLIF(current_setting('mooring.workspace', true), '')::uuid)
  WITH CHECK (workspace_id = NULLIF(current_setting('mooring.workspace', true), '')::uuid);

-- Messages that the service publishes on behalf of the workspace. Every process reads a message
-- once, when the change feed announces it, and publishes it on its broker. Rows are deleted after
-- some minutes.
CREATE TABLE mqtt_messages (
  workspace_id uuid NOT NULL,
  id           uuid NOT NULL,
  topic        text NOT NULL,
  payload      bytea NOT NULL,
  qos          smallint NOT NULL,
  retain       boolean NOT NULL,
  PRIMARY KEY (workspace_id, id)
);
-- The change feed names a message by its id alone. The time in the id is the time of the message.
CREATE INDEX mqtt_messages_id ON mqtt_messages (id);

ALTER TABLE mqtt_messages ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON mqtt_messages
  USING (workspace_id = NULLIF(current_setting('mooring.workspace', true), '')::uuid)
  WITH CHECK (workspace_id = NULLIF(current_setting('mooring.workspace', true), '')::uuid);

-- A receipt records one revocation. It is written in the transaction of the change. For each
-- process or external broker that may hold an affected session, a row of `mqtt_receipt_nodes`
-- records what was verified there. Each process acknowledges its own row. One of the processes
-- acknowledges the row of an external broker.
CREATE TABLE mqtt_receipts (
  workspace_id uuid NOT NULL,
  id           uuid NOT NULL,
  reason       text NOT NULL,
  -- The public id of the affected resource, such as a device, a principal or a template. Null: the
  -- whole workspace.
  subject      text,
  requested_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (workspace_id, id)
);
-- The change feed names a receipt by its id alone. The time in the id is the time of the receipt.
CREATE INDEX mqtt_receipts_id ON mqtt_receipts (id);

CREATE TABLE mqtt_receipt_nodes (
  workspace_id    uuid NOT NULL,
  receipt_id      uuid NOT NULL,
  -- `embedded/<id of the process>`, or the name of an external broker.
  node            text NOT NULL,
  denied_at       timestamptz,
  cache_purged_at timestamptz,
  sessions_cut    integer NOT NULL DEFAULT 0,
  sessions_cut_at timestamptz,
  verified_at     timestamptz,
  -- The time at which the process was found dead. Its sessions ended with it.
  gone_at         timestamptz,
  -- Why the row is not verified yet, if the reason is known.
  problem         text,
  attempts        integer NOT NULL DEFAULT 0,
  -- External brokers only: the time from which the row is due. The process that takes the row
  -- advances this time and holds the row until then.
  next_at         timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (workspace_id, receipt_id, node),
  FOREIGN KEY (workspace_id, receipt_id) REFERENCES mqtt_receipts ON DELETE CASCADE
);
CREATE INDEX mqtt_receipt_nodes_open ON mqtt_receipt_nodes (node, next_at)
  WHERE verified_at IS NULL AND gone_at IS NULL;

ALTER TABLE mqtt_receipts ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON mqtt_receipts
  USING (workspace_id = NULLIF(current_setting('mooring.workspace', true), '')::uuid)
  WITH CHECK (workspace_id = NULLIF(current_setting('mooring.workspace', true), '')::uuid);

ALTER TABLE mqtt_receipt_nodes ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON mqtt_receipt_nodes
  USING (workspace_id = NULLIF(current_setting('mooring.workspace', true), '')::uuid)
  WITH CHECK (workspace_id = NULLIF(current_setting('mooring.workspace', true), '')::uuid);
