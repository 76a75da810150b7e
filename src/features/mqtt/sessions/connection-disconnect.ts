/**
 * Disconnects all sessions that match a filter. The request ends the first thousand; a background
 * task continues page by page. Only sessions that were open at the time of the request are ended:
 * a client that reconnects meanwhile stays connected.
 */
import { type Context, originOf, type Services } from '../../../context.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { record } from '../../../platform/record/record.ts'
import { invalid } from '../../../platform/errors/errors.ts'
import { formatId, newUuid, parseId } from '../../../platform/lib/ids.ts'
import type { FilterNode } from '../../../platform/lib/filter-node.ts'
import { readFilterOf } from '../../common/filter-text.ts'
import { enqueue, type Task, taskKind, taskOf } from '../../../platform/jobs/job.ts'
import { ENDS_SESSIONS } from '../revocation/receipt-reasons.ts'
import { issueReceiptAt } from '../revocation/receipt-issue.ts'
import { nodeIdOf } from './connection-register.ts'
import * as store from './store.ts'
import { connectionFields, type DisconnectFilter, type DisconnectResult } from './schema.ts'

const DISCONNECT_TASK = taskKind<{ workspace_id: string; filter: string; after: string }>(
  'mqtt-connections.cut',
)
const PAGE = 1_000

/** Notifies the processes that hold these sessions. @returns how many there are */
export async function announceDisconnects(
  { feed }: Pick<Services, 'feed'>,
  trx: Db,
  workspaceId: string,
  ids: readonly string[],
): Promise<number> {
  const nodes = await store.markEndedConnections(trx, workspaceId, ids)
  const nodeIds = [...new Set(nodes)].flatMap((node) => nodeIdOf(node) ?? [])
  await feed.announceAll(trx, 'mqtt-connection', nodeIds)
  return nodes.length
}

interface Selection {
  workspaceId: string
  filter: string
  node: FilterNode
  /** Only sessions with a smaller id are still to be examined. */
  after: string
}

type Ended = Omit<DisconnectResult, 'receipt_id'>

/** @returns how many were disconnected, and whether there are more */
async function disconnectPage(
  services: Pick<Services, 'feed'>,
  trx: Db,
  { workspaceId, filter, node, after }: Selection,
): Promise<Ended> {
  const request = { node, after, limit: PAGE }
  const { rows, next } = await store.pageOfConnections(trx, workspaceId, request)
  const ids = rows.map(({ id }) => id)
  const disconnected = await announceDisconnects(services, trx, workspaceId, ids)
  if (next === undefined) return { cut: disconnected, complete: true }
  await enqueue(trx, DISCONNECT_TASK, { workspace_id: workspaceId, filter, after: next })
  return { cut: disconnected, complete: false }
}

const readFilter = (filter: string): FilterNode => readFilterOf(filter, connectionFields, '/filter')

/** Ends the named or the matching sessions. @throws Failure invalid_request */
async function disconnectChosen(
  context: Context,
  trx: Db,
  { filter, connection_ids: named }: DisconnectFilter,
): Promise<Ended> {
  const { workspaceId } = context
  if (filter !== undefined && named === undefined) {
    const selection = { workspaceId, filter, node: readFilter(filter), after: newUuid() }
    return disconnectPage(context, trx, selection)
  }
  if (named === undefined || filter !== undefined) {
    throw invalid('', 'must have either filter or connection_ids')
  }
  const ids = named.flatMap((id) => parseId('con', id) ?? [])
  return { cut: await announceDisconnects(context, trx, workspaceId, ids), complete: true }
}

/** Only processes of the service hold such sessions: external brokers have no part in it. */
export const issueDisconnectReceipt = (context: Context, trx: Db): Promise<string> =>
  issueReceiptAt([], context, trx, { reason: ENDS_SESSIONS, subject: null })

export function disconnectConnections(
  context: Context,
  chosen: DisconnectFilter,
): Promise<DisconnectResult> {
  const { db, workspaceId } = context
  return db.transaction(async (trx) => {
    const ended = await disconnectChosen(context, trx, chosen)
    const receiptId = await issueDisconnectReceipt(context, trx)
    await record(trx, originOf(context), {
      workspaceId,
      action: 'mqtt_connections.cut',
      data: { ...chosen, ...ended },
    })
    return { ...ended, receipt_id: formatId('rcp', receiptId) }
  })
}

export const createMqttConnectionTasks = (services: Pick<Services, 'db' | 'feed'>): Task[] => [
  taskOf(DISCONNECT_TASK, async ({ workspace_id: workspaceId, filter, after }) => {
    const selection = { workspaceId, filter, node: readFilter(filter), after }
    await services.db.transaction((trx) => disconnectPage(services, trx, selection))
  }),
]
