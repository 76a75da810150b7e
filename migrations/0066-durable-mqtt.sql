-- compatible
-- What the embedded broker keeps beyond its process: sessions, their queues, retained messages.

-- The process that has the broker's store: every batch says which epoch it belongs to, so that
-- one which has lost the store writes nothing.
CREATE TABLE mqtt_store (
  only_one boolean PRIMARY KEY DEFAULT true CHECK (only_one),
  epoch bigint NOT NULL,
  -- When its process was last heard of.
  seen_at timestamptz NOT NULL
);
INSERT INTO mqtt_store (epoch, seen_at) VALUES (0, now());

CREATE TABLE mqtt_stored_sessions (
  workspace_id uuid NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  id bigint NOT NULL,
  -- Public ids: the clients of a broker are of several kinds.
  principal_id text NOT NULL,
  client_id text NOT NULL,
  credential_version bigint NOT NULL,
  protocol_version smallint NOT NULL,
  incarnation bigint NOT NULL,
  expiry_s bigint NOT NULL,
  subscriptions jsonb NOT NULL,
  will jsonb,
  -- Null while its client is connected.
  away_at timestamptz,
  -- Messages from this number on have never been sent; 0: any may have been.
  unsent_from bigint NOT NULL,
  PRIMARY KEY (workspace_id, id)
);
ALTER TABLE mqtt_stored_sessions ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON mqtt_stored_sessions
  USING (workspace_id = NULLIF(current_setting('mooring.workspace', true), '')::uuid)
  WITH CHECK (workspace_id = NULLIF(current_setting('mooring.workspace', true), '')::uuid);

-- QoS 1 and 2 messages that a session's client has not acknowledged.
CREATE TABLE mqtt_stored_messages (
  workspace_id uuid NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  session_id bigint NOT NULL,
  seq bigint NOT NULL,
  packet_id integer NOT NULL,
  qos smallint NOT NULL,
  retain boolean NOT NULL,
  -- Whether a PUBREL took its place.
  is_released boolean NOT NULL,
  topic text NOT NULL,
  payload bytea NOT NULL,
  properties bytea NOT NULL,
  expires_at timestamptz,
  -- Subscription identifiers.
  identifiers jsonb,
  -- The shared subscription that it came through.
  share text,
  PRIMARY KEY (workspace_id, session_id, seq)
);
ALTER TABLE mqtt_stored_messages ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON mqtt_stored_messages
  USING (workspace_id = NULLIF(current_setting('mooring.workspace', true), '')::uuid)
  WITH CHECK (workspace_id = NULLIF(current_setting('mooring.workspace', true), '')::uuid);

-- Packet identifiers of QoS 2 messages that a client has sent and not released.
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
  -- SHA-256 of the topic, which is longer than a key may be.
  topic_hash bytea NOT NULL,
  topic text NOT NULL,
  payload bytea NOT NULL,
  qos smallint NOT NULL,
  properties bytea NOT NULL,
  expires_at timestamptz,
  -- Whose it is; null: the service's own.
  principal_id text,
  PRIMARY KEY (workspace_id, topic_hash)
);
ALTER TABLE mqtt_retained_messages ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON mqtt_retained_messages
  USING (workspace_id = NULLIF(current_setting('mooring.workspace', true), '')::uuid)
  WITH CHECK (workspace_id = NULLIF(current_setting('mooring.workspace', true), '')::uuid);
