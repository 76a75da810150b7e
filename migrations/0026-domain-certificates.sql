-- compatible
-- The certificates of domains, at most one for each domain. A new certificate replaces the row of
-- the old one, and gets an id of its own. The encrypted private key is bound to this id, so it
-- cannot be used with another certificate.
CREATE TABLE domain_certificates (
  workspace_id  uuid NOT NULL,
  domain_id     uuid NOT NULL,
  id            uuid NOT NULL,
  source        text NOT NULL CHECK (source IN ('upload', 'acme')),
  -- The ACME challenge with which the next certificate is ordered. Null: it was uploaded.
  challenge     text CHECK (challenge IN ('http-01', 'dns-01')),
  -- In PEM, with the leaf certificate first.
  chain         text NOT NULL,
  sealed_key    bytea NOT NULL,
  names         text[] NOT NULL,
  issuer        text NOT NULL,
  serial_number text NOT NULL,
  fingerprint   text NOT NULL,
  key_type      text NOT NULL,
  not_before    timestamptz NOT NULL,
  not_after     timestamptz NOT NULL,
  -- The time from which the next certificate is ordered. Null: it was uploaded.
  renew_at      timestamptz,
  -- The smallest threshold, in days before expiry, for which a warning was emitted. Null: none.
  warned_days   integer,
  revision      integer NOT NULL DEFAULT 1,
  created_at    timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (workspace_id, domain_id),
  FOREIGN KEY (workspace_id, domain_id) REFERENCES domains (workspace_id, id) ON DELETE CASCADE
);
CREATE INDEX domain_certificates_renewal ON domain_certificates (renew_at)
  WHERE renew_at IS NOT NULL;
CREATE INDEX domain_certificates_end ON domain_certificates (not_after);

ALTER TABLE domain_certificates ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON domain_certificates
  USING (workspace_id = NULLIF(current_setting('mooring.workspace', true), '')::uuid)
  WITH CHECK (workspace_id = NULLIF(current_setting('mooring.workspace', true), '')::uuid);

-- Orders of certificates by ACME (RFC 8555), each from its start to its end.
CREATE TABLE acme_orders (
  workspace_id  uuid NOT NULL,
  id            uuid NOT NULL,
  domain_id     uuid NOT NULL,
  -- The name of the domain.
  name          text NOT NULL,
  challenge     text NOT NULL CHECK (challenge IN ('http-01', 'dns-01')),
  is_renewal    boolean NOT NULL DEFAULT false,
  status        text NOT NULL DEFAULT 'ordering' CHECK (status IN
    ('ordering', 'waiting', 'validating', 'finalizing', 'issued', 'failed', 'cancelled')),
  -- The URL of the order at the authority. Null: the authority has not created the order yet.
  url           text,
  -- The authority reads the proof at the HTTP path that contains the token (`http-01`), or in the
  -- TXT record (`dns-01`).
  token         text,
  proof         text,
  -- The encrypted private key of the ordered certificate.
  sealed_key    bytea,
  -- The number of consecutive polls without a change, and of consecutive failures.
  looks         integer NOT NULL DEFAULT 0,
  failures      integer NOT NULL DEFAULT 0,
  -- The number of times that the order failed at the authority and was placed again.
  refusals      integer NOT NULL DEFAULT 0,
  -- The time at which the order continues. Null: it waits for a person, or has ended.
  next_at       timestamptz DEFAULT now(),
  -- The last problem, as a message for the caller.
  problem       text,
  -- The process that runs the order, the id of this run, and the time at which its claim ends. A
  -- write by another run has no effect.
  node          uuid,
  turn          uuid,
  turn_until    timestamptz,
  created_by    text NOT NULL,
  expires_at    timestamptz NOT NULL,
  created_at    timestamptz NOT NULL DEFAULT now(),
  ended_at      timestamptz,
  PRIMARY KEY (workspace_id, id),
  FOREIGN KEY (workspace_id, domain_id) REFERENCES domains (workspace_id, id) ON DELETE CASCADE
);
-- A domain has at most one order in progress.
CREATE UNIQUE INDEX acme_orders_open ON acme_orders (workspace_id, domain_id)
  WHERE ended_at IS NULL;
CREATE INDEX acme_orders_of_domain ON acme_orders (workspace_id, domain_id, created_at);
CREATE INDEX acme_orders_token ON acme_orders (token) WHERE token IS NOT NULL;
CREATE INDEX acme_orders_due ON acme_orders (next_at) WHERE next_at IS NOT NULL;

ALTER TABLE acme_orders ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON acme_orders
  USING (workspace_id = NULLIF(current_setting('mooring.workspace', true), '')::uuid)
  WITH CHECK (workspace_id = NULLIF(current_setting('mooring.workspace', true), '')::uuid);

-- The installation's account at each ACME authority. Requests do not use this table.
CREATE TABLE acme_accounts (
  id            uuid PRIMARY KEY,
  directory_url text NOT NULL UNIQUE,
  sealed_key    bytea NOT NULL,
  -- The URL of the account at the authority. Null: the account is not registered yet.
  url           text,
  created_at    timestamptz NOT NULL DEFAULT now()
);
