-- compatible
-- When a secret of a device was first used: from then on a rotation is done. Null also for uses
-- before this column.
ALTER TABLE device_secrets ADD COLUMN confirmed_at timestamptz;
