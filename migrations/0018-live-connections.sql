-- compatible
-- The live MQTT sessions of all processes, messages on their way to the brokers of all processes,
-- and the receipts of what was revoked. A build before this file writes none of them: its sessions
-- are not listed, its broker publishes none of the messages, and its node stays open in receipts.

-- Written in batches by the process that holds the session. A restart of the database loses none;
-- what a dead process leaves is taken back by the others. There is no key to devices or principals:
-- a session is there until its broker has ended it, also where its device is not any more.
CREATE TABLE mqtt_connections (
  workspace_id       uuid NOT NULL,
  -- The broker's id of the session; its time is that of the CONNECT.
  id                 uuid NOT NULL,
  -- As callers see it: of a device or of another principal.
  principal_id       text NOT NULL,
  client_id          text NOT NULL,
  address            text NOT NULL,
  transport          text NOT NULL,
  protocol           text NOT NULL,
  credential_version integer NOT NULL,
  -- `embedded/<id of the process>`.
  node               text NOT NULL,
  connected_at       timestamptz NOT NULL,
  -- Somebody asked for its end; the process that holds it looks for these.
  cut_at             timestamptz,
  PRIMARY KEY (workspace_id, id)
);
CREATE INDEX mqtt_connections_principal ON mqtt_connections (workspace_id, principal_id, id);
CREATE INDEX mqtt_connections_client ON mqtt_connections (workspace_id, client_id, id);
CREATE INDEX mqtt_connections_address ON mqtt_connections (workspace_id, address, id);
CREATE INDEX mqtt_connections_node ON mqtt_connections (workspace_id, node, id);
-- What dead processes left.
CREATE INDEX mqtt_connections_holder ON mqtt_connections (node);
CREATE INDEX mqtt_connections_cut ON mqtt_connections (node, id) WHERE cut_at IS NOT NULL;

ALTER TABLE mqtt_connections ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON mqtt_connections
  USING (workspace_id = NULLIF(current_setting('mooring.workspace', true), '')::uuid)
  WITH CHECK (workspace_id = NULLIF(current_setting('mooring.workspace', true), '')::uuid);

-- What the service publishes in the name of the workspace: every process reads it once, when the
-- change feed names it, and hands it to its broker. Rows are forgotten after some minutes.
CREATE TABLE mqtt_messages (
  workspace_id uuid NOT NULL,
  id           uuid NOT NULL,
  topic        text NOT NULL,
  payload      bytea NOT NULL,
  qos          smallint NOT NULL,
  retain       boolean NOT NULL,
  PRIMARY KEY (workspace_id, id)
);
-- The feed names only the message; the time is that of the id.
CREATE INDEX mqtt_messages_id ON mqtt_messages (id);

ALTER TABLE mqtt_messages ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON mqtt_messages
  USING (workspace_id = NULLIF(current_setting('mooring.workspace', true), '')::uuid)
  WITH CHECK (workspace_id = NULLIF(current_setting('mooring.workspace', true), '')::uuid);

-- What was revoked, written with its change; and for each place that may hold a session what has
-- been seen there. Each process stamps its own row, and one of them that of an external broker.
CREATE TABLE mqtt_receipts (
  workspace_id uuid NOT NULL,
  id           uuid NOT NULL,
  reason       text NOT NULL,
  -- As callers see it: a device, a principal or a template; null: the whole workspace.
  subject      text,
  requested_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (workspace_id, id)
);
-- The feed names only the receipt; the time is that of the id.
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
  -- The process was found dead, and its sessions with it.
  gone_at         timestamptz,
  -- Why it isn't verified yet, where that is known.
  problem         text,
  attempts        integer NOT NULL DEFAULT 0,
  -- External brokers: whoever takes the row moves this on, and has it for that long.
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
