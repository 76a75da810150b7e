-- compatible
-- What fielded firmware reports of its configuration besides the result: the code of an error, and
-- when it applied it.
ALTER TABLE device_config_reports
  ADD COLUMN error_code text,
  ADD COLUMN applied_at timestamptz;
