-- compatible
-- An import writes the labels of its new devices in the statement that inserts the devices, for all
-- of them at once. The trigger wrote them row by row, which took almost as long as everything else
-- for a device. The import sets `mooring.labels` to `written` for its own transaction. Without this
-- setting, as in earlier builds, the trigger writes the labels.
CREATE OR REPLACE TRIGGER devices_labels_insert AFTER INSERT ON devices FOR EACH ROW
  WHEN ((NEW.tags <> '{}' OR NEW.custom_fields <> '{}'
         OR NEW.name <> NEW.device_key COLLATE "default")
        AND current_setting('mooring.labels', true) IS DISTINCT FROM 'written')
  EXECUTE FUNCTION device_labels_insert();
