-- compatible
-- Custom domains of workspaces. A workspace becomes the owner of a name when the TXT record at
-- `_service-verification.<name>` contains the `value` of its row. Until then the row proves
-- nothing: any workspace can add any name.
CREATE TABLE domains (
  workspace_id  uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
  id            uuid NOT NULL,
  -- In A-labels and lower case, without a trailing dot.
  name          text NOT NULL,
  purpose       text NOT NULL CHECK (purpose IN ('mqtt', 'api')),
  status        text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'verified', 'lapsed')),
  -- The required value of the TXT record. It is generated for this row, so that no older record is
  -- valid for it.
  value         text NOT NULL,
  -- The time since which it has been verified. It is kept when the domain lapses.
  verified_at   timestamptz,
  -- The time since which the record of a verified domain has been missing.
  failing_since timestamptz,
  -- The time of the last event about the missing record.
  warned_at     timestamptz,
  -- The time of the last DNS check, and the error of that check: {code, message}.
  checked_at    timestamptz,
  last_error    jsonb,
  -- The time of the next check. Null: the domain is pending.
  next_check_at timestamptz,
  -- The public id of the user or the API key that added it.
  created_by    text NOT NULL,
  revision      integer NOT NULL DEFAULT 1,
  created_at    timestamptz NOT NULL DEFAULT now(),
  updated_at    timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (workspace_id, id),
  CONSTRAINT domains_name UNIQUE (workspace_id, name)
);
-- A name has at most one owner. A workspace that only added the name, or lost it, blocks no other
-- workspace.
CREATE UNIQUE INDEX domains_owner ON domains (name) WHERE status = 'verified';
-- For finding the domain of the host name that a client uses.
CREATE INDEX domains_host ON domains (name) WHERE status <> 'pending';
CREATE INDEX domains_due ON domains (next_check_at) WHERE next_check_at IS NOT NULL;

ALTER TABLE domains ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON domains
  USING (workspace_id = NULLIF(current_setting('mooring.workspace', true), '')::uuid)
  WITH CHECK (workspace_id = NULLIF(current_setting('mooring.workspace', true), '')::uuid);
