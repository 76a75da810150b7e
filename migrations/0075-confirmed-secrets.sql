-- compatible
-- The time when a secret of a device was first used. A rotation is complete from then on. Null: the
-- secret was not used, or was first used before this column existed.
ALTER TABLE device_secrets ADD COLUMN confirmed_at timestamptz;
