-- no-transaction
-- compatible
-- Finds the MQTT principals of a workspace whose sessions replace each other, as 0082 does for
-- devices.
DROP INDEX CONCURRENTLY IF EXISTS mqtt_principal_attempts_replaced;
CREATE INDEX CONCURRENTLY mqtt_principal_attempts_replaced ON mqtt_principal_attempts (workspace_id, replaced_at)
  WHERE replaced_at IS NOT NULL;
