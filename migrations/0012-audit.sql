-- compatible
-- Anchors: what of a chain has been told elsewhere. Retention: where a chain begins now, when what
-- was before is deleted; the MAC says that it was us who deleted it.
-- The columns belong to the heads of the chains, which a build before this one leaves as they are.

ALTER TABLE audit_chains
  ADD COLUMN pruned_seq  bigint NOT NULL DEFAULT 0,
  ADD COLUMN pruned_hash bytea,
  ADD COLUMN pruned_mac  bytea;

CREATE TABLE audit_anchors (
  workspace_id uuid NOT NULL,
  seq          bigint NOT NULL,
  hash         bytea NOT NULL,
  anchored_at  timestamptz(3) NOT NULL,
  -- The signed anchor, as it was told.
  jws          text NOT NULL,
  PRIMARY KEY (workspace_id, seq)
);
