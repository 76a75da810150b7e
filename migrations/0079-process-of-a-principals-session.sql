-- compatible
-- As 0078 has it of devices.
ALTER TABLE mqtt_principal_attempts ADD COLUMN node_id uuid;
