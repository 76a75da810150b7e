-- compatible
-- When the person last proved the password or a second factor in a session. Null: when it was opened.
ALTER TABLE user_sessions ADD COLUMN authenticated_at timestamptz;
