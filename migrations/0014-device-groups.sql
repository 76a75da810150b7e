-- compatible
-- Groups of devices: saved filters, and lists that are maintained manually.
CREATE TABLE device_groups (
  workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
  id           uuid NOT NULL,
  name         text NOT NULL,
  -- Null: the group is a list that is maintained manually.
  filter       text,
  revision     integer NOT NULL DEFAULT 1,
  created_at   timestamptz NOT NULL DEFAULT now(),
  updated_at   timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (workspace_id, id),
  CONSTRAINT device_groups_name UNIQUE (workspace_id, name)
);

CREATE TABLE device_group_members (
  workspace_id uuid NOT NULL,
  group_id     uuid NOT NULL,
  device_id    uuid NOT NULL,
  PRIMARY KEY (workspace_id, group_id, device_id),
  FOREIGN KEY (workspace_id, group_id) REFERENCES device_groups ON DELETE CASCADE,
  FOREIGN KEY (workspace_id, device_id) REFERENCES devices ON DELETE CASCADE
);
CREATE INDEX device_group_members_device ON device_group_members (workspace_id, device_id);
