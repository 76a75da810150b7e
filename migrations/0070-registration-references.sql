-- no-transaction
-- compatible
-- A registration writes a device with its secrets and its first response in one statement. The
-- statement locks the row of the workspace. Checking the foreign keys that this file drops, by a
-- separate query for each row, was a fifth of the work of Postgres for a device. Statements that
-- add secrets later update the device first. A trigger deletes the secrets and the first response
-- of a deleted device, as another one deletes its labels.
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
