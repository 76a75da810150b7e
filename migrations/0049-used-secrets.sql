-- no-transaction
-- compatible
-- Whether a secret was ever presented. A device that has presented its secret has not lost it, so
-- the plaintext is never returned again. Existing secrets count as used. The exceptions are the
-- secrets of registrations of the last 24 hours whose device has neither connected nor been
-- claimed: their response may just have been lost. The statements run outside of a transaction, so
-- that no CONNECT waits for the update, and no statement waits while it holds the lock of another
-- table.

ALTER TABLE device_secrets
  ADD COLUMN IF NOT EXISTS is_used boolean NOT NULL DEFAULT true,
  ALTER COLUMN is_used SET DEFAULT false;

UPDATE device_secrets s SET is_used = false
FROM registration_answers a
JOIN devices d ON d.workspace_id = a.workspace_id AND d.id = a.device_id
WHERE s.workspace_id = a.workspace_id AND s.device_id = a.device_id AND s.generation = 1
  AND a.created_at > now() - interval '24 hours'
  AND d.status = 'registered' AND d.claimed_at IS NULL;

-- `rotate_unclaimed`: a provision key cannot renew the credentials of claimed devices, unless staff
-- allowed it for the device in the last 24 hours, at `rotation_allowed_at`. Earlier builds issue no
-- new credentials when such a key registers a known device, but they rotate the credentials of a
-- device by its id.

ALTER TABLE devices ADD COLUMN IF NOT EXISTS rotation_allowed_at timestamptz;

ALTER TABLE api_keys DROP CONSTRAINT IF EXISTS api_keys_on_known_device;
ALTER TABLE api_keys
  ADD CONSTRAINT api_keys_on_known_device
    CHECK (on_known_device IN ('rotate', 'rotate_unclaimed', 'replay_only', 'refuse')) NOT VALID;
ALTER TABLE api_keys VALIDATE CONSTRAINT api_keys_on_known_device;
