-- no-transaction
-- compatible
-- What a provision key does with devices that are known already, and whether new ones wait for
-- approval. Outside of a transaction, so that no lock of one table waits for that of another, and
-- neither the check nor the index holds up writes. The build before admits devices that wait: keys
-- that ask for approval are to be made once it is gone.

ALTER TABLE api_keys
  ADD COLUMN IF NOT EXISTS on_known_device text NOT NULL DEFAULT 'rotate',
  ADD COLUMN IF NOT EXISTS approval text NOT NULL DEFAULT 'none';
ALTER TABLE api_keys
  DROP CONSTRAINT IF EXISTS api_keys_on_known_device,
  DROP CONSTRAINT IF EXISTS api_keys_approval;
ALTER TABLE api_keys
  ADD CONSTRAINT api_keys_on_known_device
    CHECK (on_known_device IN ('rotate', 'replay_only', 'refuse')) NOT VALID,
  ADD CONSTRAINT api_keys_approval CHECK (approval IN ('none', 'required')) NOT VALID;
ALTER TABLE api_keys VALIDATE CONSTRAINT api_keys_on_known_device;
ALTER TABLE api_keys VALIDATE CONSTRAINT api_keys_approval;

ALTER TABLE devices ADD COLUMN IF NOT EXISTS approval text NOT NULL DEFAULT 'approved';
ALTER TABLE devices DROP CONSTRAINT IF EXISTS devices_approval_check;
ALTER TABLE devices
  ADD CONSTRAINT devices_approval_check
    CHECK (approval IN ('approved', 'pending', 'rejected')) NOT VALID;
ALTER TABLE devices VALIDATE CONSTRAINT devices_approval_check;

-- Registering without approval pays nothing for it.
DROP INDEX CONCURRENTLY IF EXISTS devices_approval;
CREATE INDEX CONCURRENTLY devices_approval ON devices (workspace_id, approval, id)
  WHERE approval <> 'approved';
