-- compatible
-- When a session ends at the latest, if that is earlier than the limit of all sessions. A build before
-- this file does not know it, and refreshes such a session for longer.
ALTER TABLE user_sessions ADD COLUMN ends_at timestamptz;
