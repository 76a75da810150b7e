-- compatible
-- Whether members of the workspace need a second factor.
ALTER TABLE workspaces ADD COLUMN mfa_required boolean NOT NULL DEFAULT false;
