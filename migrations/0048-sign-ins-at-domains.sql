-- compatible
-- The workspace through whose domain the password was sent: the session is good for that one only.
ALTER TABLE mfa_challenges ADD COLUMN limited_to uuid;
