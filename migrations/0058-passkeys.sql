-- compatible
-- Passkeys of accounts (WebAuthn credentials), and the challenges that were used.
CREATE TABLE passkeys (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  -- The credential id, which the authenticator generates.
  credential_id bytea NOT NULL CONSTRAINT passkeys_credential UNIQUE,
  -- The public key in COSE format.
  public_key bytea NOT NULL,
  -- The signature counter of the authenticator. 0: the authenticator does not count.
  signatures bigint NOT NULL,
  -- The ways in which browsers reach the authenticator, as a browser has reported them.
  transports text[] NOT NULL,
  name text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  last_used_at timestamptz
);
CREATE INDEX passkeys_by_user ON passkeys (user_id, id);
CREATE TABLE used_passkey_challenges (
  challenge bytea PRIMARY KEY,
  expires_at timestamptz NOT NULL
);
CREATE INDEX used_passkey_challenges_by_expiry ON used_passkey_challenges (expires_at);
