-- compatible
-- What a device template was after each of its changes, with who made it. The version is the
-- template's revision; what was before this file is known as the version of that moment only.
-- Builds before this one add none: the next change by a later one fills in what they left.

CREATE TABLE device_template_versions (
  workspace_id uuid NOT NULL,
  template_id  uuid NOT NULL,
  version      integer NOT NULL,
  -- All that can be changed of a template.
  fields       jsonb NOT NULL,
  -- Names of the fields that differ from the version before.
  changed      text[] NOT NULL,
  -- Null where nobody knows any more.
  actor_kind   text,
  actor_id     text,
  at           timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (workspace_id, template_id, version),
  FOREIGN KEY (workspace_id, template_id) REFERENCES device_templates ON DELETE CASCADE
);

INSERT INTO device_template_versions (workspace_id, template_id, version, fields, changed, at)
SELECT workspace_id, id, revision,
       jsonb_build_object(
         'name', name, 'description', description, 'serial_format', serial_format,
         'capabilities', capabilities, 'capability_definitions', capability_definitions,
         'default_config', default_config, 'mqtt_acl', mqtt_acl,
         'rotation_overlap_s', rotation_overlap_s, 'firmware', firmware),
       '{}', updated_at
FROM device_templates;
