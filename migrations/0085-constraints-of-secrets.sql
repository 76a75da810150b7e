-- The conditions are unchanged, but each has one array constant, as in 0084 for devices.
ALTER TABLE device_secrets
  DROP CONSTRAINT device_secrets_kind_check,
  DROP CONSTRAINT device_secrets_issued_by_check,
  ADD CONSTRAINT device_secrets_kind_check CHECK (kind = ANY ('{mqtt,http}')),
  ADD CONSTRAINT device_secrets_issued_by_check CHECK (issued_by = ANY ('{rotation,reset}'));
