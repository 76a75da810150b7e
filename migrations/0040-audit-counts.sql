-- compatible
-- Unauthenticated callers must not be able to fill the audit log. After a budget of entries in an
-- hour, their acts are only counted in this table. When the hour is over, entries with the counts
-- are appended to the audit log.
CREATE TABLE audit_counts (
  -- The nil UUID for the audit log of the installation.
  workspace_id  uuid NOT NULL,
  window_start  timestamptz NOT NULL,
  action        text NOT NULL,
  -- The address block whose acts are counted. `*`: the budget of all addresses together.
  address_block text NOT NULL,
  -- The number of entries that were written individually.
  written       integer NOT NULL DEFAULT 0,
  -- The number of acts that were only counted. The next two columns are the times of the first and
  -- the last one.
  counted       bigint NOT NULL DEFAULT 0,
  first_at      timestamptz,
  last_at       timestamptz,
  PRIMARY KEY (workspace_id, window_start, action, address_block)
);
CREATE INDEX audit_counts_window ON audit_counts (window_start);
ALTER TABLE audit_counts ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON audit_counts
  USING (workspace_id = NULLIF(current_setting('mooring.workspace', true), '')::uuid)
  WITH CHECK (workspace_id = NULLIF(current_setting('mooring.workspace', true), '')::uuid);
