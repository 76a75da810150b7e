-- compatible
-- When another session with the same client id took over. It repeats `ended_at` for the sake of an
-- index that other ends of a session do not touch.
ALTER TABLE connection_attempts ADD COLUMN replaced_at timestamptz;
ALTER TABLE mqtt_principal_attempts ADD COLUMN replaced_at timestamptz;
