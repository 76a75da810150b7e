-- compatible
-- The operation that issued a secret of a device. It distinguishes a rotation from a reset. Null:
-- the secret was issued with the device, or before this column existed.
ALTER TABLE device_secrets
  ADD COLUMN issued_by text,
  ADD CONSTRAINT device_secrets_issued_by_check CHECK (issued_by IN ('rotation', 'reset')) NOT VALID;
