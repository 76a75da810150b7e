-- compatible
-- The address block under which a claim was counted instead of recorded; null: it has an audit
-- entry and an event of its own, and so has its end.
ALTER TABLE claims ADD COLUMN counted_under text;
