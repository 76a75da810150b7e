-- no-transaction
-- compatible
-- What is told to brokers of the brokers file, where two changes overlap. No statement waits for
-- what another one has locked, as each is a transaction of its own.

-- Changes of templates that brokers elsewhere have perhaps not followed yet.
DROP INDEX CONCURRENTLY IF EXISTS mqtt_receipts_narrowed;
CREATE INDEX CONCURRENTLY mqtt_receipts_narrowed ON mqtt_receipts (workspace_id, subject)
  WHERE narrowed IS NOT NULL;

-- With which client id a newer secret was shown to a broker elsewhere: that session is no older one.
ALTER TABLE mqtt_receipts ADD COLUMN IF NOT EXISTS client_id text;

-- When the broker was given the password. The row stays for as long as an older one may still be on
-- its way there. A build before this file deletes it as soon as the broker has it.
ALTER TABLE mqtt_password_pushes ADD COLUMN IF NOT EXISTS given_at timestamptz;
