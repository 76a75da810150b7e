-- no-transaction
-- compatible
-- Finds former signing secrets of webhooks by the time when they expire. Expired secrets are
-- deleted.
DROP INDEX CONCURRENTLY IF EXISTS webhooks_by_previous_until;
CREATE INDEX CONCURRENTLY webhooks_by_previous_until ON webhooks (previous_until)
  WHERE previous_secret IS NOT NULL;

-- The time of the next query to the certificate authority for the renewal window (RFC 9773).
-- Existing certificates are due at once. Earlier builds do not query it.
ALTER TABLE domain_certificates
  ADD COLUMN IF NOT EXISTS renewal_look_at timestamptz NOT NULL DEFAULT now();
DROP INDEX CONCURRENTLY IF EXISTS domain_certificates_renewal_look;
CREATE INDEX CONCURRENTLY domain_certificates_renewal_look
  ON domain_certificates (renewal_look_at) WHERE renew_at IS NOT NULL;
