-- no-transaction
-- compatible
-- Finds the devices of a rotation campaign by the code of their failure, for the filter of the
-- device list.
DROP INDEX CONCURRENTLY IF EXISTS rotation_campaign_devices_code;
CREATE INDEX CONCURRENTLY rotation_campaign_devices_code
  ON rotation_campaign_devices (workspace_id, campaign_id, code, device_id)
  WHERE code IS NOT NULL;
