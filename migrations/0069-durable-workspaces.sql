-- compatible
-- Whether the embedded broker stores the sessions of a workspace, where the installation leaves
-- that to its workspaces.
ALTER TABLE workspaces ADD COLUMN mqtt_durable boolean NOT NULL DEFAULT false;
