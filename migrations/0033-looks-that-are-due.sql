-- no-transaction
-- compatible
-- Secrets that signed before, by when they end: what has ended is forgotten.
DROP INDEX CONCURRENTLY IF EXISTS webhooks_by_previous_until;
CREATE INDEX CONCURRENTLY webhooks_by_previous_until ON webhooks (previous_until)
  WHERE previous_secret IS NOT NULL;

-- When the authority of a certificate is asked next when it wants it renewed. What is there is
-- asked about at once; the build before does not ask.
ALTER TABLE domain_certificates
  ADD COLUMN IF NOT EXISTS renewal_look_at timestamptz NOT NULL DEFAULT now();
DROP INDEX CONCURRENTLY IF EXISTS domain_certificates_renewal_look;
CREATE INDEX CONCURRENTLY domain_certificates_renewal_look
  ON domain_certificates (renewal_look_at) WHERE renew_at IS NOT NULL;
