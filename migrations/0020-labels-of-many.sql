-- compatible
-- An import writes the labels of its new devices in the statement that writes these, for all of
-- them at once; row by row they took almost as long as all else of a device. It says so by a setting,
-- for its own transaction. Whoever says nothing, such as a build before this file, has the trigger.
CREATE OR REPLACE TRIGGER devices_labels_insert AFTER INSERT ON devices FOR EACH ROW
  WHEN ((NEW.tags <> '{}' OR NEW.custom_fields <> '{}'
         OR NEW.name <> NEW.device_key COLLATE "default")
        AND current_setting('mooring.labels', true) IS DISTINCT FROM 'written')
  EXECUTE FUNCTION device_labels_insert();
