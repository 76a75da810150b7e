/** Queries on receipts for requests. */
import type { TopicRule } from '../../../adapters/broker/port.ts'
import { type Db, statement } from '../../../platform/database/connect.ts'

export interface ReceiptNode {
  name: string
  denied_at: number | null
  cache_purged_at: number | null
  sessions_cut: number
  sessions_cut_at: number | null
  verified_at: number | null
  gone_at: number | null
  problem: string | null
}

export interface ReceiptRow {
  workspace_id: string
  id: string
  reason: string
  subject: string | null
  requested_at: number
}

// Processes whose heartbeat is recent enough to count as alive.
const insert = statement(
  'mqtt_receipts.insert',
  `WITH receipt AS (
     INSERT INTO mqtt_receipts (workspace_id, id, reason, subject, narrowed)
     VALUES ($1, $2, $3, $4, $6)
   )
   INSERT INTO mqtt_receipt_nodes (workspace_id, receipt_id, node)
   SELECT $1, $2, 'embedded/' || n.id FROM nodes n WHERE n.beat_at > now() - interval '15 seconds'
   UNION ALL
   SELECT $1, $2, unnest($5::text[])`,
)
// No process needs to confirm: by then each has received the change or distrusts its caches.
const insertOlder = statement(
  'mqtt_receipts.insert_older_end',
  `WITH receipt AS (
     INSERT INTO mqtt_receipts (workspace_id, id, reason, subject, client_id)
     VALUES ($1, $2, $3, $4, $6)
   )
   INSERT INTO mqtt_receipt_nodes (workspace_id, receipt_id, node, next_at)
   SELECT $1, $2, unnest($5::text[]), now() + interval '2 seconds'`,
)
const logins = 'SELECT workspace_id, id FROM moid_mqtt_logins WHERE expires_at > now()'
const phones = statement('mqtt_receipts.phones', `${logins} AND moid_id = $1 AND workspace_id = $2`)
const phonesOfSession = statement(
  'mqtt_receipts.phones_of_session',
  `${logins} AND session_id = $1`,
)
const byId = statement(
  'mqtt_receipts.by_id',
  `SELECT workspace_id, id, reason, subject, requested_at FROM mqtt_receipts
   WHERE workspace_id = $1 AND id = $2`,
)
const nodes = statement(
  'mqtt_receipts.nodes',
  `SELECT node AS name, denied_at, cache_purged_at, sessions_cut, sessions_cut_at, verified_at,
          gone_at, problem
   FROM mqtt_receipt_nodes WHERE workspace_id = $1 AND receipt_id = $2 ORDER BY node`,
)

/**
 * Marks a receipt as being about rules only: principals that lost nothing are left alone, and
 * nobody is refused. Without members it concerns its subject; else the devices of a template that
 * lose rights, or the listed devices, by UUID.
 */
export interface Narrowed {
  template?: { before: readonly TopicRule[] | null; after: readonly TopicRule[] | null }
  devices?: readonly string[]
}

export interface NewReceipt {
  workspaceId: string
  id: string
  reason: string
  subject: string | null
  /** Names of the external brokers. */
  brokers: readonly string[]
  narrowed?: Narrowed | undefined
}

export interface OlderEnd {
  workspaceId: string
  id: string
  reason: string
  subject: string
  brokers: readonly string[]
  /** The client id with which the newer secret was used on an external broker. */
  clientId: string | undefined
}

export async function insertReceipt(trx: Db, receipt: NewReceipt): Promise<void> {
  const { workspaceId, id, reason, subject, brokers, narrowed } = receipt
  const told = narrowed === undefined ? null : JSON.stringify(narrowed)
  await trx.query(insert, [workspaceId, id, reason, subject, brokers, told])
}

/** A receipt for external brokers only, applied after a delay. */
export async function insertOlderEnd(
  trx: Db,
  { workspaceId, id, reason, subject, brokers, clientId }: OlderEnd,
): Promise<void> {
  // A client id that the database cannot store belongs to nobody else.
  const shown = clientId?.includes('\u0000') === true ? undefined : clientId
  await trx.query(insertOlder, [workspaceId, id, reason, subject, brokers, shown ?? null])
}

export async function findReceipt(
  db: Db,
  workspaceId: string,
  id: string,
): Promise<{ receipt: ReceiptRow; nodes: ReceiptNode[] } | undefined> {
  const [receipt] = await db.query<ReceiptRow>(byId, [workspaceId, id])
  if (receipt === undefined) return undefined
  return { receipt, nodes: await db.query<ReceiptNode>(nodes, [workspaceId, id]) }
}

/** A phone's MQTT login. */
export interface LoginRef {
  workspace_id: string
  id: string
}

/** Logins for the devices of an identity in a workspace. */
export const findPhoneLogins = (db: Db, moidId: string, workspaceId: string): Promise<LoginRef[]> =>
  db.query(phones, [moidId, workspaceId])

/** Logins requested by a session of an identity, in any workspace. */
export const findLoginsOfSession = (db: Db, sessionId: string): Promise<LoginRef[]> =>
  db.query(phonesOfSession, [sessionId])
