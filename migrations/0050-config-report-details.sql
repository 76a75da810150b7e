-- compatible
-- The code of an error, and the time when the device applied the configuration. Deployed firmware
-- reports them together with the result.
ALTER TABLE device_config_reports
  ADD COLUMN error_code text,
  ADD COLUMN applied_at timestamptz;
