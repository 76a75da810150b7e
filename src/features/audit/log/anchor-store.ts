/** Queries on the anchors of audit chains. */
import type { Db } from '../../../platform/database/connect.ts'
import { type RowOf, sql } from '../../../platform/database/sql.ts'

export type AnchorRow = RowOf<typeof page>

export const findHead = sql(
  'audit_anchors.head',
  `SELECT workspace_id, seq, hash, mac FROM audit_chains WHERE workspace_id = $workspaceId
     AND seq > 0`,
)
// Chains whose head has moved since the last anchor.
/** Heads without an anchor, of workspaces after `after`, in order. */
export const findMovedHeads = sql(
  'audit_anchors.moved',
  `SELECT c.workspace_id, c.seq, c.hash, c.mac FROM audit_chains c
   WHERE c.workspace_id > $workspaceId AND c.seq > 0
     AND NOT EXISTS (SELECT FROM audit_anchors a
                     WHERE a.workspace_id = c.workspace_id AND a.seq >= c.seq)
   ORDER BY c.workspace_id LIMIT $limit`,
)
const insert = sql(
  'audit_anchors.insert',
  `INSERT INTO audit_anchors (workspace_id, seq, hash, anchored_at, jws)
   SELECT * FROM unnest($workspaceIds::uuid[], $seqs::bigint[], $hashes::bytea[], $anchoredAts::timestamptz[], $signatures::text[])
   ON CONFLICT DO NOTHING RETURNING workspace_id`,
)
const page = sql(
  'audit_anchors.page',
  `SELECT workspace_id, seq, hash, anchored_at, jws FROM audit_anchors
   WHERE workspace_id = $workspaceId AND ($seq?::bigint IS NULL OR seq < $seq) ORDER BY seq DESC
     LIMIT $limit`,
)
export const findAnchor = sql(
  'audit_anchors.by_seq',
  `SELECT workspace_id, seq, hash, anchored_at, jws FROM audit_anchors
   WHERE workspace_id = $workspaceId AND seq = $seq`,
)

export interface NewAnchor {
  workspaceId: string
  seq: number
  hash: Buffer
  /** RFC 3339. */
  anchoredAt: string
  jws: string
}

/**
 * @returns the workspaces whose head had no anchor: concurrent processes each get different ones
 */
export async function insertAnchors(db: Db, anchors: readonly NewAnchor[]): Promise<string[]> {
  const rows = await insert.rows(db, {
    workspaceIds: anchors.map(({ workspaceId }) => workspaceId),
    seqs: anchors.map(({ seq }) => seq),
    hashes: anchors.map(({ hash }) => hash),
    anchoredAts: anchors.map(({ anchoredAt }) => anchoredAt),
    signatures: anchors.map(({ jws }) => jws),
  })
  return rows.map((row) => row.workspace_id)
}

/** Newest first. */
export const pageOfAnchors = (
  db: Db,
  workspaceId: string,
  before: number | undefined,
  limit: number,
): Promise<AnchorRow[]> => page.rows(db, { workspaceId, seq: before ?? null, limit })
