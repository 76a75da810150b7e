-- compatible
-- One-time codes by which a program on the computer of a person gets a session (RFC 7636).
CREATE TABLE authorization_codes (
  code_hash bytea PRIMARY KEY,
  -- The SHA-256 of what only that program knows.
  code_challenge bytea NOT NULL CHECK (octet_length(code_challenge) = 32),
  -- The session in which the person has allowed it: it gives its account and its proofs.
  session_id uuid NOT NULL REFERENCES user_sessions (id) ON DELETE CASCADE,
  sign_in_version integer NOT NULL,
  expires_at timestamptz NOT NULL
);
CREATE INDEX authorization_codes_session ON authorization_codes (session_id);
