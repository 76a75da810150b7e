/** Rows that belong to devices, for those that a test or a bench inserted by itself. */

/** Labels, as the statement that registers devices writes them. */
export const LABELS_OF_ALL = `
  INSERT INTO device_labels (workspace_id, label, device_id)
  SELECT d.workspace_id, l.label, d.id
  FROM devices d, device_label_texts(d.device_key, d.name, d.tags, d.custom_fields) AS l (label)
  ON CONFLICT DO NOTHING`

/** Presence, as the trigger writes it for a device that becomes active. */
export const PRESENCE_OF_ACTIVE = `
  INSERT INTO device_presence (workspace_id, device_id, connected, incarnation, node_id, last_seen_at)
  SELECT workspace_id, id, false, 0, '00000000-0000-0000-0000-000000000000', now()
  FROM devices WHERE status = 'active'
  ON CONFLICT DO NOTHING`
