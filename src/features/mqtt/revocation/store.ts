/** Queries on receipts for requests. */
import type { TopicRule } from '../../../adapters/broker/port.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { type RowOf, sql } from '../../../platform/database/sql.ts'

export type ReceiptNode = RowOf<typeof nodes>

export type ReceiptRow = RowOf<typeof byId>

// Processes whose heartbeat is recent enough to count as alive.
const insert = sql(
  'mqtt_receipts.insert',
  `WITH receipt AS (
     INSERT INTO mqtt_receipts (workspace_id, id, reason, subject, narrowed)
     VALUES ($workspaceId, $id, $reason, $subject?, $narrowed?)
   )
   INSERT INTO mqtt_receipt_nodes (workspace_id, receipt_id, node)
   SELECT $workspaceId, $id, 'embedded/' || n.id FROM nodes n
   WHERE n.beat_at > now() - interval '15 seconds'
   UNION ALL
   SELECT $workspaceId, $id, unnest($nodes::text[])`,
)
// No process needs to confirm: by then each has received the change or distrusts its caches.
const insertOlder = sql(
  'mqtt_receipts.insert_older_end',
  `WITH receipt AS (
     INSERT INTO mqtt_receipts (workspace_id, id, reason, subject, client_id)
     VALUES ($workspaceId, $id, $reason, $subject?, $clientId?)
   )
   INSERT INTO mqtt_receipt_nodes (workspace_id, receipt_id, node, next_at)
   SELECT $workspaceId, $id, unnest($nodes::text[]), now() + interval '2 seconds'`,
)
const logins = 'SELECT workspace_id, id FROM moid_mqtt_logins WHERE expires_at > now()'
/** Logins for the devices of an identity in a workspace. */
export const findPhoneLogins = sql(
  'mqtt_receipts.phones',
  `${logins} AND moid_id = $moidId AND workspace_id = $workspaceId`,
)
/** Logins requested by a session of an identity, in any workspace. */
export const findLoginsOfSession = sql(
  'mqtt_receipts.phones_of_session',
  `${logins} AND session_id = $sessionId`,
)
const byId = sql(
  'mqtt_receipts.by_id',
  `SELECT workspace_id, id, reason, subject, requested_at FROM mqtt_receipts
   WHERE workspace_id = $workspaceId AND id = $id`,
)
const nodes = sql(
  'mqtt_receipts.nodes',
  `SELECT node AS name, denied_at, cache_purged_at, sessions_cut, sessions_cut_at, verified_at,
          gone_at, problem
   FROM mqtt_receipt_nodes WHERE workspace_id = $workspaceId AND receipt_id = $receiptId
   ORDER BY node`,
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
  const notified = narrowed === undefined ? null : JSON.stringify(narrowed)
  await insert.run(trx, { workspaceId, id, reason, subject, nodes: brokers, narrowed: notified })
}

/** A receipt for external brokers only, applied after a delay. */
export async function insertOlderEnd(
  trx: Db,
  { workspaceId, id, reason, subject, brokers, clientId }: OlderEnd,
): Promise<void> {
  // A client id that the database cannot store belongs to nobody else.
  const shown = clientId?.includes('\u0000') === true ? undefined : clientId
  await insertOlder.run(trx, {
    workspaceId,
    id,
    reason,
    subject,
    nodes: brokers,
    clientId: shown ?? null,
  })
}

export async function findReceipt(
  db: Db,
  workspaceId: string,
  id: string,
): Promise<{ receipt: ReceiptRow; nodes: ReceiptNode[] } | undefined> {
  const receipt = await byId.first(db, { workspaceId, id })
  if (receipt === undefined) return undefined
  return { receipt, nodes: await nodes.rows(db, { workspaceId, receiptId: id }) }
}

/** A phone's MQTT login. */
export type LoginRef = RowOf<typeof findPhoneLogins>
