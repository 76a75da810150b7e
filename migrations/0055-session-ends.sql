-- compatible
-- The time when the session ends, however often it is refreshed, if it is earlier than the general
-- limit. Null: the general limit applies. Earlier builds ignore this column and refresh such a
-- session for longer.
ALTER TABLE user_sessions ADD COLUMN ends_at timestamptz;
