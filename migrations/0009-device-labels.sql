-- compatible
-- What devices are found by. A list chooses one index and walks it in the order of its rows, so a
-- page costs the same however many devices pass the filter. An index of tags that gives no order
-- can't do that; here every tag, custom field and word of a name is a row of its own. Two columns
-- hold what was an expression: row level security lets no index be used through functions that are
-- not leakproof, and neither lower() nor reverse() is. An index of one value alone would compete with
-- the primary key, which has its order too: so none is partial that has a column for the value.
--
-- Rewrites the table of devices, which is locked meanwhile: about ten seconds for each million.
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

-- Numbers as text that sorts as they do: the bits of a double, the sign turned round. What a double
-- can't hold is taken for the nearest one that it can.
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

-- Words end at ASCII characters that are no letters or digits. A name that is just the key has none:
-- keys are found by themselves, and registering a device without a name pays for no word.
CREATE FUNCTION device_name_words(device_key text, name text) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN name COLLATE "C" = device_key COLLATE "C" THEN '{}' ELSE ARRAY(
    SELECT DISTINCT word
    FROM regexp_split_to_table(lower(name COLLATE "default") COLLATE "C",
                               '[\x01-\x2f\x3a-\x60\x7b-\x7f]+') AS word
    WHERE word <> '') END
$$;

-- `t:key=value` for tags, `w:word` for words of the name, `c:name=` and the kind and value of custom
-- fields: `s` text, `n` number, `b` boolean, `j` anything else. Long texts are cut. The same label may
-- come twice. It is meant to stand after FROM, where Postgres plans it as a part of the statement.
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

-- No foreign key, which each registration would pay for: the triggers own every row.
CREATE TABLE device_labels (
  workspace_id uuid NOT NULL,
  label        text NOT NULL COLLATE "C",
  device_id    uuid NOT NULL,
  PRIMARY KEY (workspace_id, label, device_id)
);

-- One plan for all devices: a plan for each takes four times as long as the labels.
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

-- Row by row, with conditions that cost nothing: most registrations have nothing to label.
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

-- Devices that are not connected are those that were never active, and those whose presence says so.
-- For that to be all of them, an active device has a row of presence, from the moment it is active.
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
