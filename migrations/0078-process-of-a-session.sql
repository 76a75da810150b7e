-- compatible
-- The process that holds the session of an accepted attempt: once it is gone, so is the session, even
-- if nobody has written its end. Null: refused, held by an external broker, or before this column.
ALTER TABLE connection_attempts ADD COLUMN node_id uuid;
