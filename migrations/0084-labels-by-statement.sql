-- Not compatible: an earlier build would register devices without labels, and nothing adds them
-- later. Postgres parses the condition of a trigger, and each constraint, in every statement that
-- inserts. The statement that registers devices now writes their labels, for all rows together.
DROP TRIGGER devices_labels_insert ON devices;
DROP FUNCTION device_labels_insert();
-- A new device is never active. It gets its row of presence when it becomes so.
DROP TRIGGER devices_presence_insert ON devices;

-- The same conditions, with one constant in place of an array that is made of its elements. No
-- service runs meanwhile, so they are validated here: about a second for a million devices.
ALTER TABLE devices
  DROP CONSTRAINT devices_approval_check,
  DROP CONSTRAINT devices_status_check,
  DROP CONSTRAINT devices_suspended_from_check,
  ADD CONSTRAINT devices_approval_check CHECK (approval = ANY ('{approved,pending,rejected}')),
  ADD CONSTRAINT devices_status_check
    CHECK (status = ANY ('{registered,active,suspended,decommissioned}')),
  ADD CONSTRAINT devices_suspended_from_check CHECK (suspended_from = ANY ('{registered,active}'));
