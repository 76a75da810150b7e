-- compatible
-- The indexes by which devices are found. A list chooses one index and scans it in the order of its
-- rows, so a page costs the same however many devices match the filter. The GIN index of tags
-- returns rows in no order, so it cannot serve such a scan. The table device_labels has one row for
-- each tag, custom field and word of a name. The columns name_lower and key_reversed store the
-- results of functions. With row-level security, Postgres uses no index for conditions with
-- functions that are not leakproof, and neither lower() nor reverse() is leakproof. A partial index
-- for a single value would have the same order as the primary key and compete with it. The indexes
-- on status and is_claimed therefore have a column for the value and contain all devices.
--
-- This file rewrites the table of devices, which is locked meanwhile: about ten seconds for each
-- million devices.
ALTER TABLE devices
  ADD COLUMN name_lower   text COLLATE "C" GENERATED ALWAYS AS (lower(name)) STORED,
  ADD COLUMN key_reversed text COLLATE "C" GENERATED ALWAYS AS (reverse(device_key)) STORED,
  ADD COLUMN is_claimed   boolean GENERATED ALWAYS AS (claimed_at IS NOT NULL) STORED;
DROP INDEX devices_tags;
DROP INDEX devices_name;
DROP INDEX devices_status;
DROP INDEX devices_claimed;
CREATE INDEX devices_name ON devices (workspace_id, name_lower, id);
CREATE INDEX devices_key_reversed ON devices (workspace_id, key_reversed);
CREATE INDEX devices_status ON devices (workspace_id, status, id);
CREATE INDEX devices_claimed ON devices (workspace_id, is_claimed, id);
CREATE INDEX devices_claimed_at ON devices (workspace_id, claimed_at, id)
  WHERE claimed_at IS NOT NULL;

-- Encodes a number as text that sorts like the number: the bits of a double, with the sign bit
-- inverted for positive numbers and all bits inverted for negative ones. Numbers beyond ±1e300 are
-- encoded as ±1e300, and numbers closer to zero than 1e-300 as 0.
CREATE FUNCTION device_label_number(value numeric) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN hex < '8'
    THEN translate(left(hex, 1), '01234567', '89abcdef') || substr(hex, 2)
    ELSE translate(hex, '0123456789abcdef', 'fedcba9876543210') END
  FROM (SELECT encode(float8send((CASE
    WHEN value > 1e300 THEN 1e300
    WHEN value < -1e300 THEN -1e300
    WHEN abs(value) < 1e-300 THEN 0
    ELSE value END)::float8), 'hex') COLLATE "C" AS hex) AS bits
$$;

-- The words of a name in lower case. ASCII characters other than letters and digits separate words.
-- A name that equals the device key has no words: keys have indexes of their own, and the
-- registration of a device without a name then writes no words.
CREATE FUNCTION device_name_words(device_key text, name text) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN name COLLATE "C" = device_key COLLATE "C" THEN '{}' ELSE ARRAY(
    SELECT DISTINCT word
    FROM regexp_split_to_table(lower(name COLLATE "default") COLLATE "C",
                               '[\x01-\x2f\x3a-\x60\x7b-\x7f]+') AS word
    WHERE word <> '') END
$$;

-- The labels of a device: `t:key=value` for a tag, `w:word` for a word of the name, and `c:name=`
-- for a custom field, followed by its kind and value: `s` string, `n` number, `b` boolean. Any
-- other value is `j` alone. Values of tags and strings are truncated to 256 characters. A label may
-- be returned twice. Call the function in FROM, where Postgres inlines it into the statement.
CREATE FUNCTION device_label_texts(device_key text, name text, tags jsonb, custom_fields jsonb)
RETURNS SETOF text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT 't:' || t.key || '=' || left(t.value, 256)
  FROM jsonb_each_text(tags) AS t WHERE t.value IS NOT NULL AND length(t.key) <= 64
  UNION ALL
  SELECT 'w:' || word
  FROM regexp_split_to_table(lower(name COLLATE "default") COLLATE "C",
                             '[\x01-\x2f\x3a-\x60\x7b-\x7f]+') AS word
  WHERE name COLLATE "C" <> device_key COLLATE "C" AND word <> ''
  UNION ALL
  SELECT 'c:' || f.key || '=' || CASE jsonb_typeof(f.value)
    WHEN 'string' THEN 's' || left(f.value #>> '{}', 256)
    WHEN 'number' THEN 'n' || device_label_number((f.value #>> '{}')::numeric)
    WHEN 'boolean' THEN 'b' || (f.value #>> '{}')
    ELSE 'j' END
  FROM jsonb_each(custom_fields) AS f
  WHERE jsonb_typeof(f.value) <> 'null' AND f.key COLLATE "C" ~ '^[A-Za-z0-9_.-]{1,64}$'
$$;

-- There is no foreign key, because each registration would have to check it. The triggers below
-- insert and delete every row.
CREATE TABLE device_labels (
  workspace_id uuid NOT NULL,
  label        text NOT NULL COLLATE "C",
  device_id    uuid NOT NULL,
  PRIMARY KEY (workspace_id, label, device_id)
);

-- One plan is used for all devices. Making a plan for each device takes four times as long as
-- writing its labels.
CREATE FUNCTION device_labels_insert() RETURNS trigger LANGUAGE plpgsql
  SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  INSERT INTO device_labels (workspace_id, label, device_id)
  SELECT NEW.workspace_id, l.label, NEW.id
  FROM device_label_texts(NEW.device_key, NEW.name, NEW.tags, NEW.custom_fields) AS l (label)
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;

CREATE FUNCTION device_labels_update() RETURNS trigger LANGUAGE plpgsql
  SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  gone text[] := ARRAY(
    SELECT l.label FROM device_label_texts(OLD.device_key, OLD.name, OLD.tags, OLD.custom_fields)
      AS l (label));
  here text[] := ARRAY(
    SELECT l.label FROM device_label_texts(NEW.device_key, NEW.name, NEW.tags, NEW.custom_fields)
      AS l (label));
BEGIN
  DELETE FROM device_labels d
  WHERE d.workspace_id = OLD.workspace_id AND d.device_id = OLD.id
    AND d.label = ANY (ARRAY(SELECT unnest(gone) EXCEPT SELECT unnest(here)));
  INSERT INTO device_labels (workspace_id, label, device_id)
  SELECT NEW.workspace_id, fresh.label, NEW.id
  FROM (SELECT unnest(here) AS label EXCEPT SELECT unnest(gone)) AS fresh
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;

CREATE FUNCTION device_labels_delete() RETURNS trigger LANGUAGE plpgsql
  SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  DELETE FROM device_labels d
  WHERE d.workspace_id = OLD.workspace_id AND d.device_id = OLD.id
    AND d.label = ANY (ARRAY(
      SELECT l.label FROM device_label_texts(OLD.device_key, OLD.name, OLD.tags, OLD.custom_fields)
        AS l (label)));
  RETURN NULL;
END $$;

-- The triggers run for each row and have cheap conditions: most registrations have no labels to
-- write.
CREATE TRIGGER devices_labels_insert AFTER INSERT ON devices FOR EACH ROW
  WHEN (NEW.tags <> '{}' OR NEW.custom_fields <> '{}' OR NEW.name <> NEW.device_key COLLATE "default")
  EXECUTE FUNCTION device_labels_insert();
CREATE TRIGGER devices_labels_update AFTER UPDATE OF name, tags, custom_fields ON devices FOR EACH ROW
  WHEN (OLD.name IS DISTINCT FROM NEW.name OR OLD.tags IS DISTINCT FROM NEW.tags
        OR OLD.custom_fields IS DISTINCT FROM NEW.custom_fields)
  EXECUTE FUNCTION device_labels_update();
CREATE TRIGGER devices_labels_delete AFTER DELETE ON devices FOR EACH ROW
  WHEN (OLD.tags <> '{}' OR OLD.custom_fields <> '{}' OR OLD.name <> OLD.device_key COLLATE "default")
  EXECUTE FUNCTION device_labels_delete();

INSERT INTO device_labels (workspace_id, label, device_id)
SELECT d.workspace_id, label, d.id
FROM devices d, device_label_texts(d.device_key, d.name, d.tags, d.custom_fields) AS label
ON CONFLICT DO NOTHING;

-- A device is not connected if it was never active, or if its row in device_presence says so. For
-- this to cover every device, an active device has a row in device_presence from the moment at
-- which it becomes active.
CREATE FUNCTION device_presence_begin() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO device_presence (workspace_id, device_id, connected, incarnation, node_id, last_seen_at)
  VALUES (NEW.workspace_id, NEW.id, false, 0, '00000000-0000-0000-0000-000000000000', now())
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER devices_presence_insert AFTER INSERT ON devices FOR EACH ROW
  WHEN (NEW.status = 'active') EXECUTE FUNCTION device_presence_begin();
CREATE TRIGGER devices_presence_update AFTER UPDATE OF status ON devices FOR EACH ROW
  WHEN (NEW.status = 'active' AND OLD.status = 'registered')
  EXECUTE FUNCTION device_presence_begin();
INSERT INTO device_presence (workspace_id, device_id, connected, incarnation, node_id, last_seen_at)
SELECT workspace_id, id, false, 0, '00000000-0000-0000-0000-000000000000', now()
FROM devices WHERE status = 'active'
ON CONFLICT DO NOTHING;
