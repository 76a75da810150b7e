-- no-transaction
-- compatible
-- Whether a secret was ever presented: a used one was not lost, so its plaintext is never repeated.
-- Secrets from before count as used, except those of the last day's registrations whose device has
-- not connected: their response may just have been lost. Outside of a transaction, so that no
-- CONNECT waits for the update, and no lock of one table for that of another.

ALTER TABLE device_secrets
  ADD COLUMN IF NOT EXISTS is_used boolean NOT NULL DEFAULT true,
  ALTER COLUMN is_used SET DEFAULT false;

UPDATE device_secrets s SET is_used = false
FROM registration_answers a
JOIN devices d ON d.workspace_id = a.workspace_id AND d.id = a.device_id
WHERE s.workspace_id = a.workspace_id AND s.device_id = a.device_id AND s.generation = 1
  AND a.created_at > now() - interval '24 hours'
  AND d.status = 'registered' AND d.claimed_at IS NULL;

-- A provision key may be kept from renewing the credentials of claimed devices, unless staff have
-- allowed it for a device. The build before gives no known device anything by such a key, but
-- rotates by id.

ALTER TABLE devices ADD COLUMN IF NOT EXISTS rotation_allowed_at timestamptz;

ALTER TABLE api_keys DROP CONSTRAINT IF EXISTS api_keys_on_known_device;
ALTER TABLE api_keys
  ADD CONSTRAINT api_keys_on_known_device
    CHECK (on_known_device IN ('rotate', 'rotate_unclaimed', 'replay_only', 'refuse')) NOT VALID;
ALTER TABLE api_keys VALIDATE CONSTRAINT api_keys_on_known_device;
