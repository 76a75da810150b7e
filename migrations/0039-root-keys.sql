-- compatible
-- Root keys, encrypted under each valid master key. The table is empty until the first master key
-- is replaced.
CREATE TABLE root_keys (
  number smallint NOT NULL CHECK (number BETWEEN 1 AND 255),
  -- The fingerprint of the master key.
  master_key text NOT NULL,
  sealed bytea NOT NULL,
  -- The time from which processes use the root key. For a key that is added while processes run, it
  -- is later than the insert, so that every process knows the key before any process uses it.
  active_from timestamptz NOT NULL,
  PRIMARY KEY (number, master_key)
);
-- The fingerprint of the master key that the process was started with.
ALTER TABLE nodes ADD COLUMN master_key text;
