-- compatible
-- Until when a password that the service has made can be used to sign in and choose another one.
-- Null: the present password was chosen.
ALTER TABLE users ADD COLUMN initial_password_until timestamptz;
