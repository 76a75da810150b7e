-- compatible
-- Why the process that holds a bridge is not connected to its broker; null while it is. A build before
-- this file leaves it as it is.
ALTER TABLE broker_bridges ADD COLUMN problem text;
