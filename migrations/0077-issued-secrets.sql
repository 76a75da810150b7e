-- compatible
-- What a secret of a device was issued by, so that a rotation is told from a reset. Null: with the
-- device, or before this column.
ALTER TABLE device_secrets
  ADD COLUMN issued_by text,
  ADD CONSTRAINT device_secrets_issued_by_check CHECK (issued_by IN ('rotation', 'reset')) NOT VALID;
