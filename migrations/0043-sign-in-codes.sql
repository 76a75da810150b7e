-- compatible
-- A code that was mailed to an account without an authenticator, to sign in while its password is
-- being guessed.
CREATE TABLE sign_in_codes (
  user_id    uuid PRIMARY KEY REFERENCES users ON DELETE CASCADE,
  code_hash  bytea NOT NULL,
  expires_at timestamptz NOT NULL
);
