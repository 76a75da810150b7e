-- compatible
-- What unauthenticated callers cause is not written to the audit log for ever: after a budget of
-- entries it is counted here, and one entry with the count is appended when the hour is over.
CREATE TABLE audit_counts (
  -- The nil UUID for the installation's log.
  workspace_id  uuid NOT NULL,
  window_start  timestamptz NOT NULL,
  action        text NOT NULL,
  -- Whose entries are counted; `*` for the budget of all addresses together.
  address_block text NOT NULL,
  -- Entries that were written one by one.
  written       integer NOT NULL DEFAULT 0,
  -- Acts that were only counted, with the first and the last time.
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
