-- compatible
-- Certificates of domains. Each new one is a row of its own as far as its id goes: what is sealed is
-- bound to it, so that a key can't be put under another certificate.
CREATE TABLE domain_certificates (
  workspace_id  uuid NOT NULL,
  domain_id     uuid NOT NULL,
  id            uuid NOT NULL,
  source        text NOT NULL CHECK (source IN ('upload', 'acme')),
  -- How the next one is asked for by ACME; null for uploads.
  challenge     text CHECK (challenge IN ('http-01', 'dns-01')),
  -- PEM, the leaf first.
  chain         text NOT NULL,
  sealed_key    bytea NOT NULL,
  names         text[] NOT NULL,
  issuer        text NOT NULL,
  serial_number text NOT NULL,
  fingerprint   text NOT NULL,
  key_type      text NOT NULL,
  not_before    timestamptz NOT NULL,
  not_after     timestamptz NOT NULL,
  -- When the next one is ordered; null for uploads.
  renew_at      timestamptz,
  -- The least number of days before its end that was told of.
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

-- Orders of certificates by ACME (RFC 8555), each from its beginning to its end.
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
  -- The order's own address at the authority, once it is there.
  url           text,
  -- What the authority looks for: at the token's address, or in the TXT record.
  token         text,
  proof         text,
  -- Of the certificate to come.
  sealed_key    bytea,
  -- Looks in a row that brought nothing new, and failures in a row.
  looks         integer NOT NULL DEFAULT 0,
  failures      integer NOT NULL DEFAULT 0,
  -- Orders at the authority that came to nothing.
  refusals      integer NOT NULL DEFAULT 0,
  -- When it goes on; null while it waits for somebody, or has ended.
  next_at       timestamptz DEFAULT now(),
  -- What went wrong last, in words for the caller.
  problem       text,
  -- The process that is at it, and its turn: what another turn writes is not taken any more.
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
-- One at a time of each domain.
CREATE UNIQUE INDEX acme_orders_open ON acme_orders (workspace_id, domain_id)
  WHERE ended_at IS NULL;
CREATE INDEX acme_orders_of_domain ON acme_orders (workspace_id, domain_id, created_at);
CREATE INDEX acme_orders_token ON acme_orders (token) WHERE token IS NOT NULL;
CREATE INDEX acme_orders_due ON acme_orders (next_at) WHERE next_at IS NOT NULL;

ALTER TABLE acme_orders ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace ON acme_orders
  USING (workspace_id = NULLIF(current_setting('mooring.workspace', true), '')::uuid)
  WITH CHECK (workspace_id = NULLIF(current_setting('mooring.workspace', true), '')::uuid);

-- The account of the installation at each authority. Requests have nothing to do with it.
CREATE TABLE acme_accounts (
  id            uuid PRIMARY KEY,
  directory_url text NOT NULL UNIQUE,
  sealed_key    bytea NOT NULL,
  -- Its address at the authority, once it is known there.
  url           text,
  created_at    timestamptz NOT NULL DEFAULT now()
);
