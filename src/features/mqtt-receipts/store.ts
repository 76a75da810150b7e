/** Queries on receipts as callers ask for them and read them. */
import type { TopicRule } from '../../broker/port.ts'
import { type Db, statement } from '../../database/connect.ts'

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

// Processes that beat within the time in which the others don't take them for dead.
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
// No process says that it refuses: by then each has heard of the change, or trusts no memory.
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
 * Says that a receipt is about rules alone: who lost nothing is left alone, and nobody is refused.
 * Without a member it is about its subject; else about those devices of a template that lose by
 * its other rules, or about these devices, by their UUIDs.
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
  /** With which the newer secret was shown to a broker elsewhere. */
  clientId: string | undefined
}

export async function insertReceipt(trx: Db, receipt: NewReceipt): Promise<void> {
  const { workspaceId, id, reason, subject, brokers, narrowed } = receipt
  const told = narrowed === undefined ? null : JSON.stringify(narrowed)
  await trx.query(insert, [workspaceId, id, reason, subject, brokers, told])
}

/** A receipt that brokers elsewhere are told of in a while, and nobody else. */
export async function insertOlderEnd(
  trx: Db,
  { workspaceId, id, reason, subject, brokers, clientId }: OlderEnd,
): Promise<void> {
  // What a database can't hold is no client id that anybody else has.
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

/** An MQTT login of a phone. */
export interface LoginRef {
  workspace_id: string
  id: string
}

/** Those that are good for the devices of an identity in a workspace. */
export const findPhoneLogins = (db: Db, moidId: string, workspaceId: string): Promise<LoginRef[]> =>
  db.query(phones, [moidId, workspaceId])

/** Those that a session of an identity has asked for, in any workspace. */
export const findLoginsOfSession = (db: Db, sessionId: string): Promise<LoginRef[]> =>
  db.query(phonesOfSession, [sessionId])
