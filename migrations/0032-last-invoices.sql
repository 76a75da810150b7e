-- compatible
-- Nothing before this time is invoiced any more. It is infinite after the last invoice of a deleted
-- workspace, and the hour in which the workspace was brought back, if it was. The build before
-- this file would only charge the hours in between.
ALTER TABLE subscriptions ADD COLUMN billed_from timestamptz;
