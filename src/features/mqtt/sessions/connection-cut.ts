/**
 * Ending many sessions by a filter. The request ends the first thousand; what is left goes on in
 * the background, page by page. Only sessions that were open when it was asked for end by it: a
 * client that comes back meanwhile stays.
 */
import type { KnownCaller } from '../../../platform/access/principal.ts'
import { type Context, originOf, type Services } from '../../../context.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { invalid } from '../../../platform/errors/errors.ts'
import { record } from '../../../platform/record/record.ts'
import { newUuid } from '../../../platform/lib/ids.ts'
import { FilterError } from '../../../platform/lib/filter-grammar.ts'
import { type ListNode, readListFilter } from '../../../platform/lib/list-filter.ts'
import { enqueue, type Task } from '../../../platform/jobs/job.ts'
import { nodeIdOf } from './connection-register.ts'
import * as store from './connection-store.ts'
import { connectionFields, type CutConnections, type CutResult } from './schema.ts'

const CUT_TASK = 'mqtt-connections.cut'
const PAGE = 1_000

/** Tells the processes that hold these sessions to end them. @returns how many there are. */
export async function announceCuts(
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

interface Walk {
  workspaceId: string
  filter: string
  node: ListNode
  /** Sessions with a lesser id are still to be looked at. */
  after: string
}

/** @returns how many were cut, and whether there is more. */
async function cutPage(
  services: Pick<Services, 'feed'>,
  trx: Db,
  { workspaceId, filter, node, after }: Walk,
): Promise<CutResult> {
  const request = { node, after, limit: PAGE }
  const { rows, next } = await store.pageOfConnections(trx, workspaceId, request)
  const ids = rows.map(({ id }) => id)
  const cut = await announceCuts(services, trx, workspaceId, ids)
  if (next === undefined) return { cut, complete: true }
  await enqueue(trx, CUT_TASK, { workspace_id: workspaceId, filter, after: next })
  return { cut, complete: false }
}

function readFilter(filter: string): ListNode {
  try {
    return readListFilter(filter, connectionFields)
  } catch (error) {
    if (!(error instanceof FilterError)) throw error
    throw invalid('/filter', `cannot be parsed ${error.message}`)
  }
}

export function cutConnections(
  context: Context<KnownCaller>,
  { filter }: CutConnections,
): Promise<CutResult> {
  const { db, workspaceId } = context
  const walk = { workspaceId, filter, node: readFilter(filter), after: newUuid() }
  return db.transaction(async (trx) => {
    const result = await cutPage(context, trx, walk)
    await record(trx, originOf(context), {
      workspaceId,
      action: 'mqtt_connections.cut',
      data: { filter, ...result },
    })
    return result
  })
}

export const createMqttConnectionTasks = (services: Pick<Services, 'db' | 'feed'>): Task[] => [
  {
    name: CUT_TASK,
    async run(payload) {
      const { workspace_id: workspaceId, filter, after } = payload as Record<string, string>
      if (workspaceId === undefined || filter === undefined || after === undefined) return
      const walk = { workspaceId, filter, node: readFilter(filter), after }
      await services.db.transaction((trx) => cutPage(services, trx, walk))
    },
  },
]
