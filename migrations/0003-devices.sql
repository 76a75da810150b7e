-- Device templates, devices, their secrets, presence and state.

CREATE TABLE device_templates (
  workspace_id           uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
  id                     uuid NOT NULL,
  model_key              text NOT NULL,
  name                   text NOT NULL,
  description            text NOT NULL DEFAULT '',
  serial_format          text NOT NULL,
  capabilities           jsonb NOT NULL DEFAULT '[]',
  capability_definitions jsonb NOT NULL DEFAULT '[]',
  default_config         jsonb NOT NULL DEFAULT '{}',
  mqtt_acl               jsonb NOT NULL DEFAULT '[]',
  rotation_overlap_s     integer NOT NULL DEFAULT 604800,
  firmware               jsonb,
  revision               integer NOT NULL DEFAULT 1,
  created_at             timestamptz NOT NULL DEFAULT now(),
  updated_at             timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (workspace_id, id),
  CONSTRAINT device_templates_model_key UNIQUE (workspace_id, model_key)
);

-- Processes take serial numbers in blocks, outside of the transaction that registers a device. A
-- row that every registration locks would make registrations wait for each other.
CREATE TABLE template_serials (
  workspace_id uuid NOT NULL,
  template_id  uuid NOT NULL,
  next         bigint NOT NULL DEFAULT 1,
  PRIMARY KEY (workspace_id, template_id),
  FOREIGN KEY (workspace_id, template_id) REFERENCES device_templates ON DELETE CASCADE
);

-- Numbers that a process had taken but not used when it stopped, `first` and `last` included. They
-- are used before new blocks are taken.
CREATE TABLE unused_serials (
  workspace_id uuid NOT NULL,
  template_id  uuid NOT NULL,
  first        bigint NOT NULL,
  last         bigint NOT NULL CHECK (last >= first),
  PRIMARY KEY (workspace_id, template_id, first),
  FOREIGN KEY (workspace_id, template_id) REFERENCES device_templates ON DELETE CASCADE
);

CREATE TABLE devices (
  workspace_id      uuid NOT NULL,
  id                uuid NOT NULL,
  device_key        text NOT NULL COLLATE "C",
  name              text NOT NULL,
  template_id       uuid,
  hardware_id       text COLLATE "C",
  status            text NOT NULL DEFAULT 'registered'
                    CHECK (status IN ('registered', 'active', 'suspended', 'decommissioned')),
  -- The status before the suspension. Resuming the device restores it.
  suspended_from    text CHECK (suspended_from IN ('registered', 'active')),
  tags              jsonb NOT NULL DEFAULT '{}',
  custom_fields     jsonb NOT NULL DEFAULT '{}',
  config            jsonb NOT NULL DEFAULT '{}',
  -- The generation of the newest secrets. It only increases.
  secret_generation integer NOT NULL DEFAULT 1,
  -- Connections that began before this time are ended. Microseconds since the epoch, the unit in
  -- which brokers number connections.
  sessions_from     bigint NOT NULL DEFAULT 0,
  claimed_at        timestamptz,
  -- The time at which the last owner released the device. Confirmed secrets from before this time
  -- are due for rotation.
  released_at       timestamptz,
  revision          integer NOT NULL DEFAULT 1,
  created_at        timestamptz NOT NULL DEFAULT now(),
  updated_at        timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (workspace_id, id),
  CONSTRAINT devices_device_key UNIQUE (workspace_id, device_key),
  CONSTRAINT devices_hardware_id UNIQUE (workspace_id, hardware_id),
  FOREIGN KEY (workspace_id) REFERENCES workspaces ON DELETE CASCADE,
  FOREIGN KEY (workspace_id, template_id) REFERENCES device_templates
);
-- An MQTT CONNECT identifies the device, but not the workspace.
CREATE INDEX devices_id ON devices (id);
CREATE INDEX devices_template ON devices (workspace_id, template_id, id);
CREATE INDEX devices_name ON devices (workspace_id, lower(name) COLLATE "C");
-- The workspace is not the first column, because GIN would need an extension for uuid. If a tag is
-- common in other workspaces and rare in the caller's own, the scan therefore also finds the
-- devices of the others, which are filtered out afterwards.
CREATE INDEX devices_tags ON devices USING gin (tags);
-- These two indexes serve lists that contain few of the devices. Neither contains a device that was
-- just registered, so registrations do not write to them.
CREATE INDEX devices_status ON devices (workspace_id, status, id) WHERE status <> 'registered';
CREATE INDEX devices_claimed ON devices (workspace_id, id) WHERE claimed_at IS NOT NULL;

-- The secrets of a device, as keyed hashes. `expires_at` is null for a confirmed secret. A pending
-- secret is accepted until `expires_at`; its first use confirms it and deletes the older ones.
CREATE TABLE device_secrets (
  workspace_id uuid NOT NULL,
  device_id    uuid NOT NULL,
  kind         text NOT NULL CHECK (kind IN ('mqtt', 'http')),
  generation   integer NOT NULL,
  hash         bytea NOT NULL,
  expires_at   timestamptz,
  created_at   timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (workspace_id, device_id, kind, generation),
  FOREIGN KEY (workspace_id, device_id) REFERENCES devices ON DELETE CASCADE
);
CREATE UNIQUE INDEX device_secrets_http ON device_secrets (hash) WHERE kind = 'http';

CREATE TABLE device_presence (
  workspace_id     uuid NOT NULL,
  device_id        uuid NOT NULL,
  connected        boolean NOT NULL,
  incarnation      bigint NOT NULL,
  node_id          uuid NOT NULL,
  address          text NOT NULL DEFAULT '',
  protocol_version smallint NOT NULL DEFAULT 4,
  connected_at     timestamptz,
  disconnected_at  timestamptz,
  last_seen_at     timestamptz NOT NULL,
  PRIMARY KEY (workspace_id, device_id),
  FOREIGN KEY (workspace_id, device_id) REFERENCES devices ON DELETE CASCADE
);
CREATE INDEX device_presence_node ON device_presence (node_id) WHERE connected;
CREATE INDEX device_presence_connected ON device_presence (workspace_id, device_id) WHERE connected;

CREATE TABLE device_states (
  workspace_id uuid NOT NULL,
  device_id    uuid NOT NULL,
  state        jsonb NOT NULL,
  -- The time at which the broker received the state, in microseconds since the epoch. An older
  -- state never replaces a newer one.
  version      bigint NOT NULL,
  reported_at  timestamptz NOT NULL,
  revision     integer NOT NULL DEFAULT 1,
  PRIMARY KEY (workspace_id, device_id),
  FOREIGN KEY (workspace_id, device_id) REFERENCES devices ON DELETE CASCADE
);

-- The encrypted first response to a registration. It is repeated for a day, only to the API key
-- that registered the device.
CREATE TABLE registration_answers (
  workspace_id uuid NOT NULL,
  device_id    uuid NOT NULL,
  key_id       uuid NOT NULL,
  sealed       bytea NOT NULL,
  created_at   timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (workspace_id, device_id),
  FOREIGN KEY (workspace_id, device_id) REFERENCES devices ON DELETE CASCADE
);
CREATE INDEX registration_answers_age ON registration_answers (created_at);
