-- compatible
-- The state of a device template after each of its changes, with the actor of the change. The
-- version is the template's revision. A template that exists already gets its current state as its
-- first version. Earlier builds add no versions: the next change by a later build also adds the
-- state before that change.

CREATE TABLE device_template_versions (
  workspace_id uuid NOT NULL,
  template_id  uuid NOT NULL,
  version      integer NOT NULL,
  -- All fields of the template that can be changed.
  fields       jsonb NOT NULL,
  -- Names of the fields that differ from the previous version.
  changed      text[] NOT NULL,
  -- Null: the actor is not known any more.
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
