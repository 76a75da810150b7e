-- compatible
-- The workspace whose domain the session was created through. The session is valid for this
-- workspace only. Null: the session is valid for all workspaces of the account.
ALTER TABLE user_sessions ADD COLUMN limited_to uuid;
