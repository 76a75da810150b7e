-- compatible
-- One-time codes with which a program on a person's computer gets a session (RFC 7636).
CREATE TABLE authorization_codes (
  code_hash bytea PRIMARY KEY,
  -- The SHA-256 of the code verifier, a secret that only the program knows.
  code_challenge bytea NOT NULL CHECK (octet_length(code_challenge) = 32),
  -- The session in which the person allowed it. The new session takes over its account and its
  -- proofs of authentication.
  session_id uuid NOT NULL REFERENCES user_sessions (id) ON DELETE CASCADE,
  sign_in_version integer NOT NULL,
  expires_at timestamptz NOT NULL
);
CREATE INDEX authorization_codes_session ON authorization_codes (session_id);
