-- compatible
-- Root keys, sealed under each master key that is valid, once the first one has been replaced.
CREATE TABLE root_keys (
  number smallint NOT NULL CHECK (number BETWEEN 1 AND 255),
  -- Its fingerprint.
  master_key text NOT NULL,
  sealed bytea NOT NULL,
  -- Processes know a root key for a while before any of them uses it.
  active_from timestamptz NOT NULL,
  PRIMARY KEY (number, master_key)
);
-- The fingerprint of the master key that a process was started with.
ALTER TABLE nodes ADD COLUMN master_key text;
