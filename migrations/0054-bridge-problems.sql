-- compatible
-- The reason why the process that holds the bridge is not connected to its broker. Null: it is
-- connected. Earlier builds do not update this column.
ALTER TABLE broker_bridges ADD COLUMN problem text;
