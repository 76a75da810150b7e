-- compatible
-- 'operator': the account of a person who runs the installation and sees it in the console. Null:
-- any other account.
ALTER TABLE users ADD COLUMN installation_role text
  CONSTRAINT users_installation_role CHECK (installation_role = 'operator');
