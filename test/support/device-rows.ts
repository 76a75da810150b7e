/**
 * Rows that belong to devices, for those that a test or a bench inserted by itself: of all, or of
 * those for which `where` is true, with `d` for their row.
 */

/** Labels, as the statement that registers devices writes them. */
export const insertLabels = (where = 'true'): string => `
  INSERT INTO device_labels (workspace_id, label, device_id)
  SELECT d.workspace_id, l.label, d.id
  FROM devices d, device_label_texts(d.device_key, d.name, d.tags, d.custom_fields) AS l (label)
  WHERE ${where}
  ON CONFLICT DO NOTHING`

/** Presence of active devices, as the trigger writes it when a device becomes active. */
export const insertPresence = (where = 'true'): string => `
  INSERT INTO device_presence (workspace_id, device_id, connected, incarnation, node_id, last_seen_at)
  SELECT d.workspace_id, d.id, false, 0, '00000000-0000-0000-0000-000000000000', now()
  FROM devices d WHERE d.status = 'active' AND ${where}
  ON CONFLICT DO NOTHING`
