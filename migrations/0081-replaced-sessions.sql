-- compatible
-- The time when another session with the same client id replaced this one. It repeats `ended_at`,
-- so that the end of a session for another reason does not touch the index of replaced sessions.
ALTER TABLE connection_attempts ADD COLUMN replaced_at timestamptz;
ALTER TABLE mqtt_principal_attempts ADD COLUMN replaced_at timestamptz;
