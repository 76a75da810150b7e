-- no-transaction
-- compatible
-- Finds the configuration reports of one device, for its timeline. The timeline reads all other
-- changes from the audit log.
DROP INDEX CONCURRENTLY IF EXISTS events_config_reports;
CREATE INDEX CONCURRENTLY events_config_reports ON events (workspace_id, subject_id, id)
  WHERE type = 'device.config_reported';
