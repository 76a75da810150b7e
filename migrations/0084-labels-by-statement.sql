-- Not compatible: earlier builds would register devices without labels, and nothing would add the
-- labels later. In every statement that inserts, Postgres parses the condition of each trigger, and
-- each constraint. Therefore the statement that registers devices now writes their labels, for all
-- rows together.
DROP TRIGGER devices_labels_insert ON devices;
DROP FUNCTION device_labels_insert();
-- A new device is never active. Another trigger inserts its presence row when it becomes active.
DROP TRIGGER devices_presence_insert ON devices;

-- The conditions are unchanged, but each has one array constant in place of an array that is
-- constructed from its elements. No service runs during this migration, so the constraints are
-- validated here. That takes about a second for a million devices.
ALTER TABLE devices
  DROP CONSTRAINT devices_approval_check,
  DROP CONSTRAINT devices_status_check,
  DROP CONSTRAINT devices_suspended_from_check,
  ADD CONSTRAINT devices_approval_check CHECK (approval = ANY ('{approved,pending,rejected}')),
  ADD CONSTRAINT devices_status_check
    CHECK (status = ANY ('{registered,active,suspended,decommissioned}')),
  ADD CONSTRAINT devices_suspended_from_check CHECK (suspended_from = ANY ('{registered,active}'));
