-- compatible
-- Invitations, mail on its way, and when a workspace that was deleted is erased. Of the tables that
-- there were, only workspaces changes.

ALTER TABLE workspaces
  ADD COLUMN delete_requested_at timestamptz,
  ADD COLUMN erase_at timestamptz,
  -- How far the erasure has come: rows by table, and the head of the audit chain.
  ADD COLUMN erasure jsonb NOT NULL DEFAULT '{}';
CREATE INDEX workspaces_erase ON workspaces (erase_at) WHERE status = 'deleting';

CREATE TABLE invitations (
  workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
  id           uuid NOT NULL,
  -- In its canonical form.
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
-- The person who is invited shows the token alone.
CREATE UNIQUE INDEX invitations_token ON invitations (token_hash);
CREATE UNIQUE INDEX invitations_pending ON invitations (workspace_id, email)
  WHERE status = 'pending';
CREATE INDEX invitations_expiry ON invitations (expires_at) WHERE status = 'pending';
CREATE INDEX invitations_ended ON invitations (ended_at) WHERE ended_at IS NOT NULL;

-- Mail is written with the change that it tells of, and sent after it. The words are sealed, since
-- they may hold a token, and are gone once they are sent. `workspace_id` is the nil UUID for mail of
-- the installation.
CREATE TABLE mail_outbox (
  workspace_id uuid NOT NULL,
  id           uuid NOT NULL,
  recipient    text NOT NULL,
  subject      text NOT NULL,
  sealed_text  bytea,
  -- `kept`: there was no mail server to send it through.
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
