-- compatible
-- The address block under which the creation of a claim was counted instead of recorded. Null: the
-- claim has an audit entry and an event of its own, and its end has them too.
ALTER TABLE claims ADD COLUMN counted_under text;
