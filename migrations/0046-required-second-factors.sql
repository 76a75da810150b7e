-- compatible
-- Whether members need a second factor.
ALTER TABLE workspaces ADD COLUMN mfa_required boolean NOT NULL DEFAULT false;
