-- no-transaction
-- compatible
-- Additions for overlapping changes that the brokers of the brokers file must follow. Each
-- statement is a transaction of its own, so that no statement waits while it holds the locks of
-- another one.

-- Finds changes of templates that some external brokers may not have followed yet.
DROP INDEX CONCURRENTLY IF EXISTS mqtt_receipts_narrowed;
CREATE INDEX CONCURRENTLY mqtt_receipts_narrowed ON mqtt_receipts (workspace_id, subject)
  WHERE narrowed IS NOT NULL;

-- The client id that presented a newer secret to an external broker. The session with this client
-- id uses the newer secret, so it is not ended with the older sessions. Null: no session is exempt.
ALTER TABLE mqtt_receipts ADD COLUMN IF NOT EXISTS client_id text;

-- The time when the broker received the password. The row is kept for as long as an older password
-- may still arrive at the broker. Earlier builds delete the row as soon as the broker has the
-- password.
ALTER TABLE mqtt_password_pushes ADD COLUMN IF NOT EXISTS given_at timestamptz;
