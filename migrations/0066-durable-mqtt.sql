-- compatible
-- Data of the embedded broker that outlives its process: sessions, their queues, and retained
-- messages.

-- The ownership of the broker's store. The process that takes the store increments the epoch, and
-- each batch of writes names the epoch of its process. Therefore a process that has lost the store
-- writes nothing.
CREATE TABLE mqtt_store (
  only_one boolean PRIMARY KEY DEFAULT true CHECK (only_one),
  epoch bigint NOT NULL,
  -- The time of the last sign of life of the process that has the store.
  seen_at timestamptz NOT NULL
);
INSERT INTO mqtt_store (epoch, seen_at) VALUES (0, now());

CREATE TABLE mqtt_stored_sessions (
  workspace_id uuid NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  id bigint NOT NULL,
  -- A public id, because the clients of a broker are of several kinds.
  principal_id text NOT NULL,
  client_id text NOT NULL,
  credential_version bigint NOT NULL,
  protocol_version smallint NOT NULL,
  incarnation bigint NOT NULL,
  expiry_s bigint NOT NULL,
  subscriptions jsonb NOT NULL,
  will jsonb,
  -- The time when the client left. Null: the client is connected.
  away_at timestamptz,
  -- Queued messages with this `seq` or a higher one were never sent. 0 has a special
  -- meaning: each message may have been sent.
  unsent_from bigint NOT NULL,
  PRIMARY KEY (workspace_id, id)
);
ALTER TABLE mqtt_stored_sessions ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON mqtt_stored_sessions
  USING (workspace_id = NULLIF(current_setting('mooring.workspace', true), '')::uuid)
  WITH CHECK (workspace_id = NULLIF(current_setting('mooring.workspace', true), '')::uuid);

-- QoS 1 and 2 messages that the client of a session has not acknowledged.
CREATE TABLE mqtt_stored_messages (
  workspace_id uuid NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  session_id bigint NOT NULL,
  seq bigint NOT NULL,
  packet_id integer NOT NULL,
  qos smallint NOT NULL,
  retain boolean NOT NULL,
  -- Whether the message was replaced by its PUBREL.
  is_released boolean NOT NULL,
  topic text NOT NULL,
  payload bytea NOT NULL,
  properties bytea NOT NULL,
  expires_at timestamptz,
  -- The subscription identifiers (MQTT 5).
  identifiers jsonb,
  -- The shared subscription that the message was delivered through. Null: none.
  share text,
  PRIMARY KEY (workspace_id, session_id, seq)
);
ALTER TABLE mqtt_stored_messages ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON mqtt_stored_messages
  USING (workspace_id = NULLIF(current_setting('mooring.workspace', true), '')::uuid)
  WITH CHECK (workspace_id = NULLIF(current_setting('mooring.workspace', true), '')::uuid);

-- Packet identifiers of QoS 2 messages that a client has sent, and for which it has not sent
-- PUBREL.
CREATE TABLE mqtt_stored_receipts (
  workspace_id uuid NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  session_id bigint NOT NULL,
  packet_id integer NOT NULL,
  PRIMARY KEY (workspace_id, session_id, packet_id)
);
ALTER TABLE mqtt_stored_receipts ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON mqtt_stored_receipts
  USING (workspace_id = NULLIF(current_setting('mooring.workspace', true), '')::uuid)
  WITH CHECK (workspace_id = NULLIF(current_setting('mooring.workspace', true), '')::uuid);

CREATE TABLE mqtt_retained_messages (
  workspace_id uuid NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  -- The SHA-256 of the topic, because a topic can be longer than an index key may be.
  topic_hash bytea NOT NULL,
  topic text NOT NULL,
  payload bytea NOT NULL,
  qos smallint NOT NULL,
  properties bytea NOT NULL,
  expires_at timestamptz,
  -- The public id of the principal that published the message. Null: the service published it.
  principal_id text,
  PRIMARY KEY (workspace_id, topic_hash)
);
ALTER TABLE mqtt_retained_messages ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON mqtt_retained_messages
  USING (workspace_id = NULLIF(current_setting('mooring.workspace', true), '')::uuid)
  WITH CHECK (workspace_id = NULLIF(current_setting('mooring.workspace', true), '')::uuid);
