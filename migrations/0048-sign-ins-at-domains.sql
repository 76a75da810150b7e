-- compatible
-- The workspace whose domain the password was sent through. The resulting session is valid for this
-- workspace only. Null: it is valid for all workspaces of the account.
ALTER TABLE mfa_challenges ADD COLUMN limited_to uuid;
