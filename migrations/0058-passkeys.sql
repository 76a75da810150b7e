-- compatible
-- Passkeys of accounts (WebAuthn credentials), and the challenges that have been answered.
CREATE TABLE passkeys (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  -- Made by the authenticator.
  credential_id bytea NOT NULL CONSTRAINT passkeys_credential UNIQUE,
  -- A COSE key.
  public_key bytea NOT NULL,
  -- Signatures that the authenticator has counted; 0 if it does not count.
  signatures bigint NOT NULL,
  -- How browsers reach the authenticator, as they have said.
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
