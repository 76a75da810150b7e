-- compatible
-- Which process speaks to a broker of the brokers file on behalf of all of them. A build before this
-- file speaks to none.
CREATE TABLE broker_bridges (
  name       text PRIMARY KEY,
  -- The process; whoever comes after its time may take its place.
  holder     uuid NOT NULL,
  expires_at timestamptz NOT NULL
);
