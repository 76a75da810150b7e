-- compatible
-- The passkey that was last proved in the session. It counts as a second factor until it is
-- removed.
ALTER TABLE user_sessions
  ADD COLUMN passkey_id uuid REFERENCES passkeys (id) ON DELETE SET NULL;
CREATE INDEX user_sessions_by_passkey ON user_sessions (passkey_id) WHERE passkey_id IS NOT NULL;
