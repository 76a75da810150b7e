-- compatible
-- An anchor is the head of an audit chain, signed and published so that others can keep a copy.
-- Retention deletes entries from the beginning of a chain. The new columns of audit_chains then
-- contain the number and the hash of the last deleted entry, after which the rest of the chain
-- starts. The MAC proves that this service deleted the entries. Earlier builds move the head of a
-- chain, but leave the new columns as they are.

ALTER TABLE audit_chains
  ADD COLUMN pruned_seq  bigint NOT NULL DEFAULT 0,
  ADD COLUMN pruned_hash bytea,
  ADD COLUMN pruned_mac  bytea;

CREATE TABLE audit_anchors (
  workspace_id uuid NOT NULL,
  seq          bigint NOT NULL,
  hash         bytea NOT NULL,
  anchored_at  timestamptz(3) NOT NULL,
  -- The signed anchor, as it was published.
  jws          text NOT NULL,
  PRIMARY KEY (workspace_id, seq)
);
