-- compatible
-- The process that holds the session of an accepted attempt. When the process is gone, the session
-- is gone too, even if no process has written its end. Null: the attempt was refused, an external
-- broker holds the session, or the attempt is older than this column.
ALTER TABLE connection_attempts ADD COLUMN node_id uuid;
