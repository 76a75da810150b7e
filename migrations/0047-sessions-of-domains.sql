-- compatible
-- The workspace through whose domain the session was opened: it is good for that one only.
ALTER TABLE user_sessions ADD COLUMN limited_to uuid;
