-- compatible
-- The process that holds the session, as in 0078 for devices.
ALTER TABLE mqtt_principal_attempts ADD COLUMN node_id uuid;
