-- compatible
-- Codes that were mailed to accounts without an authenticator. A person signs in with such a code
-- while the password of the account is being guessed.
CREATE TABLE sign_in_codes (
  user_id    uuid PRIMARY KEY REFERENCES users ON DELETE CASCADE,
  code_hash  bytea NOT NULL,
  expires_at timestamptz NOT NULL
);
