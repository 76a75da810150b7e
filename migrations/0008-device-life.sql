-- compatible
-- The life of a device: commands, versions of its configuration, notes, definitions of custom
-- fields, and attempts to connect. Of the existing tables, only `devices` changes. Services of the
-- previous build can continue, but they change configurations without adding a version.

-- Version 1 is the configuration that a device had before the first change.
ALTER TABLE devices ADD COLUMN config_version integer NOT NULL DEFAULT 1;

CREATE TABLE device_configs (
  workspace_id uuid NOT NULL,
  device_id    uuid NOT NULL,
  version      integer NOT NULL,
  config       jsonb NOT NULL,
  -- Null for the configuration from before the first change that was stored as a version.
  changed_by   text,
  changed_at   timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (workspace_id, device_id, version),
  FOREIGN KEY (workspace_id, device_id) REFERENCES devices ON DELETE CASCADE
);

CREATE TABLE device_commands (
  workspace_id uuid NOT NULL,
  id           uuid NOT NULL,
  device_id    uuid NOT NULL,
  name         text NOT NULL,
  payload      jsonb NOT NULL,
  status       text NOT NULL DEFAULT 'pending'
               CHECK (status IN ('pending', 'sent', 'acknowledged', 'failed', 'timed_out', 'cancelled')),
  result       jsonb,
  error        text,
  created_by   text,
  created_at   timestamptz NOT NULL DEFAULT now(),
  expires_at   timestamptz NOT NULL,
  sent_at      timestamptz,
  ended_at     timestamptz,
  revision     integer NOT NULL DEFAULT 1,
  PRIMARY KEY (workspace_id, id),
  FOREIGN KEY (workspace_id, device_id) REFERENCES devices ON DELETE CASCADE,
  CHECK ((status IN ('pending', 'sent')) = (ended_at IS NULL))
);
CREATE INDEX device_commands_device ON device_commands (workspace_id, device_id, id);
CREATE INDEX device_commands_open ON device_commands (workspace_id, device_id, status)
  WHERE ended_at IS NULL;
CREATE INDEX device_commands_expiry ON device_commands (expires_at) WHERE ended_at IS NULL;
CREATE INDEX device_commands_ended ON device_commands (ended_at) WHERE ended_at IS NOT NULL;

CREATE TABLE device_notes (
  workspace_id uuid NOT NULL,
  id           uuid NOT NULL,
  device_id    uuid NOT NULL,
  text         text NOT NULL,
  author_kind  text NOT NULL,
  author_id    text NOT NULL,
  created_at   timestamptz NOT NULL DEFAULT now(),
  updated_at   timestamptz NOT NULL DEFAULT now(),
  revision     integer NOT NULL DEFAULT 1,
  PRIMARY KEY (workspace_id, id),
  FOREIGN KEY (workspace_id, device_id) REFERENCES devices ON DELETE CASCADE
);
CREATE INDEX device_notes_device ON device_notes (workspace_id, device_id, id);

CREATE TABLE custom_fields (
  workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
  id           uuid NOT NULL,
  name         text NOT NULL COLLATE "C",
  type         text NOT NULL CHECK (type IN ('string', 'number', 'boolean', 'json')),
  description  text NOT NULL DEFAULT '',
  options      text[],
  minimum      float8,
  maximum      float8,
  max_length   integer,
  -- The actor and request that deleted the field. It is set while the values are being removed from
  -- devices; the field then accepts no new values.
  purged_by    jsonb,
  revision     integer NOT NULL DEFAULT 1,
  created_at   timestamptz NOT NULL DEFAULT now(),
  updated_at   timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (workspace_id, id),
  CONSTRAINT custom_fields_name UNIQUE (workspace_id, name)
);
CREATE INDEX custom_fields_purged ON custom_fields (workspace_id, id) WHERE purged_by IS NOT NULL;

-- Values that devices have already remain valid: each valid name in use gets a definition. Its type
-- is the one that all of its values have (string, number or boolean), or else `json`.
INSERT INTO custom_fields (workspace_id, id, name, type)
SELECT workspace_id, gen_random_uuid(), name,
       CASE WHEN count(DISTINCT type) = 1 AND min(type) IN ('string', 'number', 'boolean')
         THEN min(type) ELSE 'json' END
FROM (SELECT d.workspace_id, f.key AS name, jsonb_typeof(f.value) AS type
      FROM devices d, jsonb_each(d.custom_fields) AS f
      WHERE f.key COLLATE "C" ~ '^[A-Za-z0-9_.-]{1,64}$' AND jsonb_typeof(f.value) <> 'null') AS held
GROUP BY workspace_id, name;

-- The last attempts to connect as a device. Equal refusals within a minute are counted in one row.
CREATE TABLE connection_attempts (
  workspace_id     uuid NOT NULL,
  device_id        uuid NOT NULL,
  id               uuid NOT NULL,
  -- Null: the attempt was accepted.
  refusal          text,
  attempts         integer NOT NULL,
  client_id        text NOT NULL,
  address          text NOT NULL,
  protocol_version smallint NOT NULL,
  at               timestamptz NOT NULL,
  last_at          timestamptz NOT NULL,
  ended_at         timestamptz,
  end_reason       text,
  PRIMARY KEY (workspace_id, device_id, id),
  FOREIGN KEY (workspace_id, device_id) REFERENCES devices ON DELETE CASCADE
);
