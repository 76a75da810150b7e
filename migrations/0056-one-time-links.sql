-- compatible
-- One-time links that people receive by mail, or that the first start of the installation prints.
CREATE TABLE one_time_links (
  id uuid PRIMARY KEY,
  purpose text NOT NULL CHECK (
    purpose IN ('setup', 'registration', 'password_reset', 'email_change')),
  token_hash bytea NOT NULL CONSTRAINT one_time_links_token UNIQUE,
  -- The address that the link was made for, in canonical form.
  email text NOT NULL,
  -- The account that the link is for. Null: a registration.
  user_id uuid REFERENCES users (id) ON DELETE CASCADE,
  -- `sign_in_version` of the account when the link was made.
  sign_in_version integer,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- Null: the link does not expire.
  expires_at timestamptz,
  used_at timestamptz
);
CREATE INDEX one_time_links_by_email ON one_time_links (email, purpose, created_at);
CREATE INDEX one_time_links_by_user ON one_time_links (user_id);
