-- The entries of the audit log are chained in batches. The row of a batch lists its entries in
-- order, with their hashes. Previously each entry was updated when it was chained. Not compatible:
-- earlier builds would chain the entries of a batch a second time.

-- The entries that wait to be chained: one row for each workspace and statement that wrote entries.
CREATE TABLE audit_queue (
  workspace_id uuid NOT NULL,
  -- The first of `ids`.
  id uuid NOT NULL,
  ids uuid[] NOT NULL,
  PRIMARY KEY (workspace_id, id)
);
ALTER TABLE audit_queue ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON audit_queue
  USING (workspace_id = NULLIF(current_setting('mooring.workspace', true), '')::uuid)
  WITH CHECK (workspace_id = NULLIF(current_setting('mooring.workspace', true), '')::uuid);

CREATE TABLE audit_batches (
  workspace_id uuid NOT NULL,
  -- The positions of the entries in the chain: without gaps, in the order of `ids`.
  first_seq bigint NOT NULL,
  last_seq bigint NOT NULL,
  ids uuid[] NOT NULL,
  -- The hash of each entry, in the format of `audit_log.hash` of entries that were chained earlier.
  hashes bytea[] NOT NULL,
  -- The least and the greatest of `ids`. Queries find the batch of an entry by them.
  least_id uuid NOT NULL,
  greatest_id uuid NOT NULL,
  PRIMARY KEY (workspace_id, last_seq)
);
-- Hashes cannot be compressed.
ALTER TABLE audit_batches ALTER COLUMN hashes SET STORAGE EXTERNAL;
CREATE INDEX audit_batches_ids ON audit_batches (workspace_id, greatest_id);
ALTER TABLE audit_batches ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON audit_batches
  USING (workspace_id = NULLIF(current_setting('mooring.workspace', true), '')::uuid)
  WITH CHECK (workspace_id = NULLIF(current_setting('mooring.workspace', true), '')::uuid);

-- Adds all new entries to the queue, so that no statement can write an entry that is never chained.
CREATE FUNCTION audit_log_enqueue() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO audit_queue (workspace_id, id, ids)
  SELECT workspace_id, written[1], written FROM (
    SELECT workspace_id, array_agg(id) AS written FROM added WHERE seq IS NULL GROUP BY workspace_id
  ) AS entries;
  RETURN NULL;
END $$;
CREATE TRIGGER audit_log_enqueued AFTER INSERT ON audit_log
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION audit_log_enqueue();

-- Stops a process of an earlier build, if one is still running, from chaining entries in the former
-- way.
CREATE FUNCTION audit_log_is_kept() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE 'entries of the audit log are chained in audit_batches: end processes of earlier builds';
END $$;
CREATE TRIGGER audit_log_kept BEFORE UPDATE OF seq, hash ON audit_log
  FOR EACH STATEMENT EXECUTE FUNCTION audit_log_is_kept();

INSERT INTO audit_queue (workspace_id, id, ids)
SELECT workspace_id, id, ARRAY[id] FROM audit_log WHERE seq IS NULL;
DROP INDEX audit_log_unsealed;
