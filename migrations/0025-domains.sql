-- compatible
-- Domains that workspaces bring along. Whoever has its value in the DNS at
-- `_service-verification.<name>` has a name; before that, anybody may have added it.
CREATE TABLE domains (
  workspace_id  uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
  id            uuid NOT NULL,
  -- In A-labels and lower case, without a dot at the end.
  name          text NOT NULL,
  purpose       text NOT NULL CHECK (purpose IN ('mqtt', 'api')),
  status        text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'verified', 'lapsed')),
  -- What the TXT record has to say: made up for this row, so that no older record is good for it.
  value         text NOT NULL,
  -- Since when it has been verified; kept when it lapses.
  verified_at   timestamptz,
  -- Since when the record of a verified domain is missing.
  failing_since timestamptz,
  -- When that was told of last.
  warned_at     timestamptz,
  -- When the DNS was asked last, and what was wrong then: {code, message}.
  checked_at    timestamptz,
  last_error    jsonb,
  -- When it is looked at again; null while it is pending.
  next_check_at timestamptz,
  -- As callers see it: the user or the key that added it.
  created_by    text NOT NULL,
  revision      integer NOT NULL DEFAULT 1,
  created_at    timestamptz NOT NULL DEFAULT now(),
  updated_at    timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (workspace_id, id),
  CONSTRAINT domains_name UNIQUE (workspace_id, name)
);
-- One owner. Who has merely added a name, or has lost it, is in nobody's way.
CREATE UNIQUE INDEX domains_owner ON domains (name) WHERE status = 'verified';
-- A host name that somebody comes by.
CREATE INDEX domains_host ON domains (name) WHERE status <> 'pending';
CREATE INDEX domains_due ON domains (next_check_at) WHERE next_check_at IS NOT NULL;

ALTER TABLE domains ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON domains
  USING (workspace_id = NULLIF(current_setting('mooring.workspace', true), '')::uuid)
  WITH CHECK (workspace_id = NULLIF(current_setting('mooring.workspace', true), '')::uuid);
