/** Queries on the anchors of audit chains. */
import { type Db, statement } from '../../../platform/database/connect.ts'
import type { ChainHead } from './store.ts'

export interface AnchorRow {
  workspace_id: string
  seq: number
  hash: Buffer
  /** Milliseconds since the epoch. */
  anchored_at: number
  jws: string
}

const head = statement(
  'audit_anchors.head',
  'SELECT workspace_id, seq, hash, mac FROM audit_chains WHERE workspace_id = $1 AND seq > 0',
)
// Chains whose head has moved since the last anchor.
const moved = statement(
  'audit_anchors.moved',
  `SELECT c.workspace_id, c.seq, c.hash, c.mac FROM audit_chains c
   WHERE c.workspace_id > $1 AND c.seq > 0
     AND NOT EXISTS (SELECT FROM audit_anchors a
                     WHERE a.workspace_id = c.workspace_id AND a.seq >= c.seq)
   ORDER BY c.workspace_id LIMIT $2`,
)
const insert = statement(
  'audit_anchors.insert',
  `INSERT INTO audit_anchors (workspace_id, seq, hash, anchored_at, jws)
   SELECT * FROM unnest($1::uuid[], $2::bigint[], $3::bytea[], $4::timestamptz[], $5::text[])
   ON CONFLICT DO NOTHING RETURNING workspace_id`,
)
const page = statement(
  'audit_anchors.page',
  `SELECT workspace_id, seq, hash, anchored_at, jws FROM audit_anchors
   WHERE workspace_id = $1 AND ($2::bigint IS NULL OR seq < $2) ORDER BY seq DESC LIMIT $3`,
)
const bySeq = statement(
  'audit_anchors.by_seq',
  `SELECT workspace_id, seq, hash, anchored_at, jws FROM audit_anchors
   WHERE workspace_id = $1 AND seq = $2`,
)

export async function findHead(db: Db, workspaceId: string): Promise<ChainHead | undefined> {
  return (await db.query<ChainHead>(head, [workspaceId]))[0]
}

/** Heads without an anchor, of workspaces after `after`, in order. */
export const findMovedHeads = (db: Db, after: string, limit: number): Promise<ChainHead[]> =>
  db.query(moved, [after, limit])

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
  const rows = await db.query<{ workspace_id: string }>(insert, [
    anchors.map(({ workspaceId }) => workspaceId),
    anchors.map(({ seq }) => seq),
    anchors.map(({ hash }) => hash),
    anchors.map(({ anchoredAt }) => anchoredAt),
    anchors.map(({ jws }) => jws),
  ])
  return rows.map((row) => row.workspace_id)
}

/** Newest first. */
export const pageOfAnchors = (
  db: Db,
  workspaceId: string,
  before: number | undefined,
  limit: number,
): Promise<AnchorRow[]> => db.query(page, [workspaceId, before ?? null, limit])

export async function findAnchor(
  db: Db,
  workspaceId: string,
  seq: number,
): Promise<AnchorRow | undefined> {
  return (await db.query<AnchorRow>(bySeq, [workspaceId, seq]))[0]
}
