-- compatible
-- Sign-in with identity providers. An account is linked to subjects of issuers.
CREATE TABLE sso_identities (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  -- The name of the provider in the file of identity providers when the account was linked.
  provider text NOT NULL,
  issuer text NOT NULL,
  subject text NOT NULL,
  email text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  last_used_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT sso_identities_subject UNIQUE (issuer, subject)
);
CREATE INDEX sso_identities_user ON sso_identities (user_id);

-- Attempts to sign in. Each is redeemed once, by the browser that began it.
CREATE TABLE sso_attempts (
  state_hash bytea PRIMARY KEY,
  browser_hash bytea NOT NULL,
  provider text NOT NULL,
  stay boolean NOT NULL,
  is_fresh boolean NOT NULL,
  expires_at timestamptz NOT NULL
);
CREATE INDEX sso_attempts_end ON sso_attempts (expires_at);

-- Proven identities that wait until the person signs in to the account with the same address.
CREATE TABLE sso_links (
  token_hash bytea PRIMARY KEY,
  browser_hash bytea NOT NULL,
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  provider text NOT NULL,
  issuer text NOT NULL,
  subject text NOT NULL,
  email text NOT NULL,
  expires_at timestamptz NOT NULL
);
CREATE INDEX sso_links_end ON sso_links (expires_at);
CREATE INDEX sso_links_user ON sso_links (user_id);
