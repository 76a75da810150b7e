-- compatible
-- The time when the person last proved the password or a second factor in the session. Null: the
-- time when the session was created.
ALTER TABLE user_sessions ADD COLUMN authenticated_at timestamptz;
