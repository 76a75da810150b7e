-- User accounts, their second factors and sessions, and the keys that sign tokens.

CREATE TABLE installation (
  name  text PRIMARY KEY,
  value text NOT NULL
);

CREATE TABLE users (
  id            uuid PRIMARY KEY,
  email         text NOT NULL CONSTRAINT users_email_key UNIQUE,
  name          text NOT NULL DEFAULT '',
  password_hash text NOT NULL,
  -- Incremented when the password is replaced, and when an authenticator is added or removed, but
  -- not when the same password is hashed again. A sign-in that was verified under an earlier
  -- version gets no session.
  sign_in_version integer NOT NULL DEFAULT 1,
  status        text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'disabled')),
  revision      integer NOT NULL DEFAULT 1,
  created_at    timestamptz NOT NULL DEFAULT now(),
  updated_at    timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE user_totp (
  user_id       uuid PRIMARY KEY REFERENCES users ON DELETE CASCADE,
  sealed_secret bytea NOT NULL,
  last_step     bigint NOT NULL DEFAULT 0,
  confirmed_at  timestamptz,
  created_at    timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE user_recovery_codes (
  user_id   uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  code_hash bytea NOT NULL,
  PRIMARY KEY (user_id, code_hash)
);

-- One row for each subject (an account, whether it exists or not) and factor, with the number of
-- attempts since the last success. An attempt is counted before it is checked, and outside of the
-- request's transaction, so that it counts even if the request is rolled back or its process is
-- killed.
CREATE TABLE failed_tries (
  subject      bytea NOT NULL,
  factor       text NOT NULL CHECK (factor IN ('password', 'totp', 'recovery')),
  tries        integer NOT NULL,
  locked_until timestamptz,
  updated_at   timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (subject, factor)
);
CREATE INDEX failed_tries_age ON failed_tries (updated_at) WHERE factor = 'password';

CREATE TABLE mfa_challenges (
  id         uuid PRIMARY KEY,
  user_id    uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  salt       bytea NOT NULL,
  tries      integer NOT NULL DEFAULT 0,
  expires_at timestamptz NOT NULL,
  used_at    timestamptz
);
CREATE INDEX mfa_challenges_user ON mfa_challenges (user_id);
CREATE INDEX mfa_challenges_expiry ON mfa_challenges (expires_at);

CREATE TABLE user_sessions (
  id         uuid PRIMARY KEY,
  user_id    uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  salt       bytea NOT NULL,
  generation integer NOT NULL DEFAULT 1,
  mfa        boolean NOT NULL DEFAULT false,
  address    text NOT NULL DEFAULT '',
  user_agent text NOT NULL DEFAULT '',
  created_at timestamptz NOT NULL DEFAULT now(),
  rotated_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  ended_at   timestamptz,
  end_reason text
);
CREATE INDEX user_sessions_live ON user_sessions (user_id) WHERE ended_at IS NULL;
CREATE INDEX user_sessions_expiry ON user_sessions (expires_at);
CREATE INDEX user_sessions_ended ON user_sessions (ended_at) WHERE ended_at IS NOT NULL;

CREATE TABLE signing_keys (
  kid            text PRIMARY KEY,
  issuer         text NOT NULL,
  public_key     bytea NOT NULL,
  sealed_private bytea NOT NULL,
  state          text NOT NULL CHECK (state IN ('next', 'active', 'retired')),
  created_at     timestamptz NOT NULL DEFAULT now(),
  activated_at   timestamptz,
  retired_at     timestamptz
);
CREATE UNIQUE INDEX signing_keys_active ON signing_keys (issuer) WHERE state = 'active';
CREATE UNIQUE INDEX signing_keys_next ON signing_keys (issuer) WHERE state = 'next';
