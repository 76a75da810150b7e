-- compatible
-- What is told to brokers of the brokers file. A build before this file ends the sessions of all
-- that a change of rules is about.

-- Whose rules became others: sessions of those who lost nothing go on. Null: a session is over,
-- whatever it may.
ALTER TABLE mqtt_receipts ADD COLUMN narrowed jsonb;
