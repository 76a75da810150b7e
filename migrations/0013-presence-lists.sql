-- compatible
-- Lists of devices by presence: those that are connected, those that are gone, and by last contact.
-- The time of last contact changes twice a minute for each device; an index of it would turn each of
-- these writes into a write of every index. The quarter of an hour that it falls into changes seldom.
--
-- Rewrites the table of presence, which is locked meanwhile: some seconds for each million.
ALTER TABLE device_presence
  ADD COLUMN last_seen_slot timestamptz GENERATED ALWAYS AS
    (date_bin('15 minutes', last_seen_at, '2000-01-01T00:00:00Z'::timestamptz)) STORED;
CREATE INDEX device_presence_seen ON device_presence (workspace_id, last_seen_slot, device_id);
DROP INDEX device_presence_connected;
CREATE INDEX device_presence_connection ON device_presence (workspace_id, connected, device_id);
