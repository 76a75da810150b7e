-- compatible
-- The trace of the request or task that recorded the event, as `traceparent` (W3C Trace Context).
-- Null: the request or task was not traced.
ALTER TABLE events ADD COLUMN traceparent text;
