-- compatible
-- Accounts of people who run the installation and see it in the console: null or 'operator'.
ALTER TABLE users ADD COLUMN installation_role text
  CONSTRAINT users_installation_role CHECK (installation_role = 'operator');
