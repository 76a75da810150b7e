-- The same conditions with one constant, as 0084 has it of devices.
ALTER TABLE device_secrets
  DROP CONSTRAINT device_secrets_kind_check,
  DROP CONSTRAINT device_secrets_issued_by_check,
  ADD CONSTRAINT device_secrets_kind_check CHECK (kind = ANY ('{mqtt,http}')),
  ADD CONSTRAINT device_secrets_issued_by_check CHECK (issued_by = ANY ('{rotation,reset}'));
