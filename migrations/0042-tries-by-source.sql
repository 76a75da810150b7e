-- compatible
-- The factor `source` counts failed attempts of one source at one secret. A source is for example
-- an address block or a known device.
ALTER TABLE failed_tries DROP CONSTRAINT failed_tries_factor_check;
ALTER TABLE failed_tries ADD CONSTRAINT failed_tries_factor_check
  CHECK (factor IN ('password', 'totp', 'recovery', 'source'));
DROP INDEX failed_tries_age;
CREATE INDEX failed_tries_age ON failed_tries (updated_at) WHERE factor IN ('password', 'source');
