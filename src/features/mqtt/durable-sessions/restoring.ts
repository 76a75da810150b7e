/** Reads stored sessions and messages, and the present rights of their principals. */
import type { Grant } from '../../../adapters/broker/port.ts'
import type {
  KeptDelivery,
  KeptMessage,
  KeptRetained,
  KeptSession,
  KeptWill,
  RestoredSession,
} from '../../../adapters/broker/store-port.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { pagesOf } from '../../../platform/database/sql.ts'
import { formatId, NIL_UUID } from '../../../platform/lib/ids.ts'
import { type Credential, grantOf } from '../credentials/credential.ts'
import type { CredentialAuthority } from '../credentials/authority.ts'
import { readIdentity } from '../credentials/identity.ts'
import { workspaceUuid } from './batch.ts'
import type { StoredWill } from './schema.ts'
import * as store from './store.ts'

export interface RestoringParts {
  db: Db
  authority: Pick<CredentialAuthority, 'load' | 'refusalOf'>
  usage: { meterOf(credential: Credential): NonNullable<Grant['meter']> }
}

export interface Found {
  sessions: RestoredSession[]
  retained: KeptRetained[]
  /** Sessions and retained messages whose principals are not admitted any more. */
  refusedSessions: KeptSession[]
  refusedRetained: KeptRetained[]
}

const ROWS = 500
/** Credentials that are read together. */
const TOGETHER = 500

/** All rows of a table, some at a time. */
async function allRows<Row>(page: (last: Row | undefined) => Promise<Row[]>): Promise<Row[]> {
  const all: Row[] = []
  for await (const rows of pagesOf(ROWS, page)) all.push(...rows)
  return all
}

const messageOf = (
  row: Pick<store.MessageRow, 'topic' | 'payload' | 'qos' | 'properties' | 'expires_at'>,
): KeptMessage => ({
  topic: row.topic,
  payload: row.payload,
  qos: row.qos,
  properties: row.properties,
  expiresAt: row.expires_at ?? 0,
})

const deliveryOf = (row: store.MessageRow): KeptDelivery => ({
  ...messageOf(row),
  seq: row.seq,
  packetId: row.packet_id,
  retain: row.retain,
  identifiers: row.identifiers ?? undefined,
  share: row.share ?? undefined,
  isReleased: row.is_released,
})

const willOf = ({ responseTopic, expiry, ...will }: StoredWill): KeptWill => ({
  ...will,
  responseTopic,
  expiry,
  payload: Buffer.from(will.payload, 'base64'),
  properties: Buffer.from(will.properties, 'base64'),
})

/** @param seenAt the last sign of life of the process that had the connections */
const sessionOf = (row: store.SessionRow, seenAt: number): KeptSession => ({
  workspaceId: formatId('ws', row.workspace_id),
  id: row.id,
  principalId: row.principal_id,
  clientId: row.client_id,
  credentialVersion: row.credential_version,
  protocolVersion: row.protocol_version,
  incarnation: row.incarnation,
  expirySeconds: row.expiry_s,
  subscriptions: row.subscriptions,
  will: row.will === null ? undefined : willOf(row.will),
  awayAt: row.away_at ?? seenAt,
  unsentFrom: row.unsent_from,
})

const retainedOf = (row: store.RetainedRow): KeptRetained => ({
  ...messageOf(row),
  workspaceId: formatId('ws', row.workspace_id),
  principalId: row.principal_id ?? undefined,
})

/** The credentials of the principals that still exist. */
async function credentialsOf(
  { authority }: RestoringParts,
  names: ReadonlySet<string>,
): Promise<Map<string, Credential>> {
  const found = new Map<string, Credential>()
  const all = [...names]
  for (let at = 0; at < all.length; at += TOGETHER) {
    const some = all.slice(at, at + TOGETHER).map(async (name) => {
      const identity = readIdentity(name)
      const credential = identity && (await authority.load(identity))
      if (credential !== undefined) found.set(name, credential)
    })
    // oxlint-disable-next-line eslint/no-await-in-loop -- not all of very many at once
    await Promise.all(some)
  }
  return found
}

interface Rows {
  sessions: KeptSession[]
  retained: KeptRetained[]
  deliveries: Map<number, KeptDelivery[]>
  received: Map<number, number[]>
}

async function readRows(db: Db, seenAt: number): Promise<Rows> {
  const sessions = await allRows<store.SessionRow>((last) => {
    const { workspace_id: workspaceId = NIL_UUID, id = 0 } = last ?? {}
    return store.readSessions.rows(db, { workspaceId, id, limit: ROWS })
  })
  const messages = await allRows<store.MessageRow>((last) => {
    const { workspace_id: workspaceId = NIL_UUID, session_id: sessionId = 0 } = last ?? {}
    return store.readMessages.rows(db, { workspaceId, sessionId, seq: last?.seq ?? 0, limit: ROWS })
  })
  const retained = await allRows<store.RetainedRow>((last) => {
    const { workspace_id: workspaceId = NIL_UUID } = last ?? {}
    const topicHash = last?.topic_hash ?? Buffer.alloc(0)
    return store.readRetained.rows(db, { workspaceId, topicHash, limit: ROWS })
  })
  const deliveries = new Map<number, KeptDelivery[]>()
  for (const row of messages) {
    const list = deliveries.get(row.session_id)
    if (list === undefined) deliveries.set(row.session_id, [deliveryOf(row)])
    else list.push(deliveryOf(row))
  }
  const receipts = await store.readReceipts.rows(db)
  return {
    sessions: sessions.map((row) => sessionOf(row, seenAt)),
    retained: retained.map(retainedOf),
    deliveries,
    received: new Map(receipts.map((row) => [row.session_id, row.packet_ids])),
  }
}

export async function findKept(parts: RestoringParts, seenAt: number): Promise<Found> {
  const { db, authority, usage } = parts
  const rows = await readRows(db, seenAt)
  const names = new Set(rows.sessions.map(({ principalId }) => principalId))
  for (const { principalId } of rows.retained) if (principalId !== undefined) names.add(principalId)
  const credentials = await credentialsOf(parts, names)
  const found: Found = { sessions: [], retained: [], refusedSessions: [], refusedRetained: [] }
  for (const session of rows.sessions.sort((one, other) => one.awayAt - other.awayAt)) {
    const credential = credentials.get(session.principalId)
    const received = rows.received.get(session.id) ?? []
    const deliveries = rows.deliveries.get(session.id) ?? []
    const isOwn =
      credential !== undefined &&
      credential.workspaceId === workspaceUuid(session.workspaceId) &&
      (await authority.refusalOf(session, credential)) === undefined
    if (isOwn) {
      const meter = usage.meterOf(credential)
      const grant = grantOf(credential, session.credentialVersion, meter)
      found.sessions.push({ ...session, grant, deliveries, received })
    } else found.refusedSessions.push(session)
  }
  for (const message of rows.retained) {
    const credential = credentials.get(message.principalId ?? '')
    const isKept =
      message.principalId === undefined || (credential !== undefined && !credential.isGone)
    ;(isKept ? found.retained : found.refusedRetained).push(message)
  }
  return found
}
