-- no-transaction
-- compatible
-- A provision key now defines the result of a request for a device that is registered already, and
-- whether new devices wait for approval. The statements run outside of a transaction: no lock on
-- one table is held while another table is being locked, and neither the validation nor the index
-- blocks writes. The previous build accepts devices that wait for approval: create keys that
-- require approval only when no process of that build is left.

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

-- The index is partial, so a registration that needs no approval does not write to it.
DROP INDEX CONCURRENTLY IF EXISTS devices_approval;
CREATE INDEX CONCURRENTLY devices_approval ON devices (workspace_id, approval, id)
  WHERE approval <> 'approved';
