-- compatible
-- Invitations, outgoing mail, and the time at which a deleted workspace is erased. Of the existing
-- tables, only `workspaces` changes.

ALTER TABLE workspaces
  ADD COLUMN delete_requested_at timestamptz,
  ADD COLUMN erase_at timestamptz,
  -- Progress of the erasure: the number of deleted rows by table, and the head of the audit chain.
  ADD COLUMN erasure jsonb NOT NULL DEFAULT '{}';
CREATE INDEX workspaces_erase ON workspaces (erase_at) WHERE status = 'deleting';

CREATE TABLE invitations (
  workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
  id           uuid NOT NULL,
  -- The address in its canonical, lower-case form.
  email        text NOT NULL,
  role         text NOT NULL CHECK (role IN ('owner', 'admin', 'member', 'viewer')),
  token_hash   bytea NOT NULL,
  status       text NOT NULL DEFAULT 'pending'
               CHECK (status IN ('pending', 'accepted', 'revoked', 'expired')),
  created_by   text NOT NULL,
  accepted_by  uuid,
  created_at   timestamptz NOT NULL DEFAULT now(),
  expires_at   timestamptz NOT NULL,
  ended_at     timestamptz,
  PRIMARY KEY (workspace_id, id),
  CHECK ((status = 'pending') = (ended_at IS NULL))
);
-- The invited person presents only the token, without the workspace.
CREATE UNIQUE INDEX invitations_token ON invitations (token_hash);
CREATE UNIQUE INDEX invitations_pending ON invitations (workspace_id, email)
  WHERE status = 'pending';
CREATE INDEX invitations_expiry ON invitations (expires_at) WHERE status = 'pending';
CREATE INDEX invitations_ended ON invitations (ended_at) WHERE ended_at IS NOT NULL;

-- Mail is inserted in the transaction of the change that it reports, and sent afterwards. The text
-- is encrypted, because it may contain a token, and it is deleted when the mail has been sent.
-- `workspace_id` is the nil UUID for mail of the installation.
CREATE TABLE mail_outbox (
  workspace_id uuid NOT NULL,
  id           uuid NOT NULL,
  recipient    text NOT NULL,
  subject      text NOT NULL,
  sealed_text  bytea,
  -- `kept`: the mail was not sent, because there was no mail server.
  status       text NOT NULL DEFAULT 'queued'
               CHECK (status IN ('queued', 'sent', 'kept', 'failed')),
  tries        integer NOT NULL DEFAULT 0,
  last_error   text,
  created_at   timestamptz NOT NULL DEFAULT now(),
  ended_at     timestamptz,
  PRIMARY KEY (workspace_id, id)
);
CREATE INDEX mail_outbox_newest ON mail_outbox (id);
CREATE INDEX mail_outbox_queued ON mail_outbox (created_at) WHERE status = 'queued';
CREATE INDEX mail_outbox_ended ON mail_outbox (ended_at) WHERE ended_at IS NOT NULL;
