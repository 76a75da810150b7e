-- compatible
-- A column and indexes for lists of devices by presence: connected, disconnected, and by last
-- contact. The time of last contact changes up to twice a minute for each device. With an index on
-- it, each of these writes would write to every index of the table (no HOT update). The quarter of
-- an hour that contains this time changes rarely.
--
-- The file rewrites the presence table, which stays locked meanwhile: some seconds per million
-- devices.
ALTER TABLE device_presence
  ADD COLUMN last_seen_slot timestamptz GENERATED ALWAYS AS
    (date_bin('15 minutes', last_seen_at, '2000-01-01T00:00:00Z'::timestamptz)) STORED;
CREATE INDEX device_presence_seen ON device_presence (workspace_id, last_seen_slot, device_id);
DROP INDEX device_presence_connected;
CREATE INDEX device_presence_connection ON device_presence (workspace_id, connected, device_id);
