-- compatible
-- Each row names the process that connects to one broker of the brokers file, on behalf of all
-- processes. Earlier builds connect to none of these brokers.
CREATE TABLE broker_bridges (
  name       text PRIMARY KEY,
  -- The id of the process. Another process may replace it after `expires_at`.
  holder     uuid NOT NULL,
  expires_at timestamptz NOT NULL
);
