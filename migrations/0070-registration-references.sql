-- no-transaction
-- compatible
-- A registration writes a device with its secrets and its first response in one statement, which
-- holds the workspace's row locked: checking each of these references once more, by a query of its
-- own for each row, was a fifth of what Postgres did for a device. What adds secrets later updates
-- the device first. What a device leaves behind is deleted here, as its labels are.
CREATE OR REPLACE FUNCTION device_credentials_delete() RETURNS trigger
LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  DELETE FROM device_secrets WHERE workspace_id = OLD.workspace_id AND device_id = OLD.id;
  DELETE FROM registration_answers WHERE workspace_id = OLD.workspace_id AND device_id = OLD.id;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER devices_credentials_delete AFTER DELETE ON devices
  FOR EACH ROW EXECUTE FUNCTION device_credentials_delete();
ALTER TABLE device_secrets
  DROP CONSTRAINT IF EXISTS device_secrets_workspace_id_device_id_fkey;
ALTER TABLE registration_answers
  DROP CONSTRAINT IF EXISTS registration_answers_workspace_id_device_id_fkey;
ALTER TABLE devices DROP CONSTRAINT IF EXISTS devices_workspace_id_fkey;
