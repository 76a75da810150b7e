-- compatible
-- Whether the embedded broker stores the sessions of the workspace. The value applies if the
-- installation leaves this choice to its workspaces.
ALTER TABLE workspaces ADD COLUMN mqtt_durable boolean NOT NULL DEFAULT false;
