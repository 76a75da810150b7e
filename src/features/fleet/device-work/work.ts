/**
 * Work over many devices: jobs, and rotation campaigns. Their common data: the statements, the
 * record, and the entry of the queue that continues it.
 */
import { type Context, originOf } from '../../../context.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { withinLimit } from '../../../platform/errors/errors.ts'
import { enqueue, type TaskKind } from '../../../platform/jobs/job.ts'
import { formatId } from '../../../platform/lib/ids.ts'
import type { EventType, Origin } from '../../../platform/record/event.ts'
import type { TypedStatement } from '../../../platform/database/sql.ts'
import { record } from '../../../platform/record/record.ts'
import { type RowKey, keyOf } from '../../common/row-key.ts'

export interface WorkRow {
  workspace_id: string
  id: string
  filter: string | null
  status: string
  failure: string | null
  /** Where its preparation continues. */
  expanded_to: string | null
  total: number
  actor_kind: Origin['actor']['kind']
  actor_id: string | null
  request_id: string | null
  address: string | null
  ended_at: number | null
}

interface WorkStatements<Row> {
  find: TypedStatement<RowKey, Row>
  /** Until the transaction ends. */
  lock: TypedStatement<RowKey, Row>
  countOpen: TypedStatement<Pick<RowKey, 'workspaceId'>, { open: number }>
  /** Adds devices to work in preparation; it runs when there is nowhere to continue. */
  grow: TypedStatement<RowKey & { added: number; expandedTo: string | null }>
  /** Ended before so many days, and not needed any more. */
  findOld: TypedStatement<{ days: number }, { workspace_id: string; id: string }>
  delete: TypedStatement<RowKey>
  /** @returns a row for each device that is new to it */
  insertItems: TypedStatement<RowKey & { deviceIds: readonly string[] }>
  /** @returns a row for each deleted item */
  deleteItems: TypedStatement<RowKey & { limit: number }>
}

export interface WorkKind<Row extends WorkRow> {
  /** As the audit log calls it. */
  resource: 'job' | 'rotation_campaign'
  prefix: 'job' | 'cmp'
  statements: WorkStatements<Row>
  /** Unfinished ones per workspace. */
  open: { limit: string; max: number; what: string }
  /** How long it is kept after its end. */
  keepDays: number
  /** The task that continues it, and the one that deletes old ones. */
  tasks: { run: TaskKind<Record<string, string>>; remove: string }
  /** The member of the queued payload that has its id. */
  payloadId: 'job_id' | 'campaign_id'
  /** Entries of one queue run one after another. */
  queueOf: (id: string) => string
  /** The members of its events besides its id. */
  dataOf: (row: Row) => Record<string, unknown>
}

/** Crashes count as attempts: even work that is killed often must complete. */
const TRIES = 30_000

/** Enqueues a run, now or at a time; duplicates are merged. */
export function enqueueRun<Row extends WorkRow>(
  { tasks: { run }, payloadId, queueOf }: WorkKind<Row>,
  db: Db,
  { workspace_id, id }: Pick<WorkRow, 'workspace_id' | 'id'>,
  runAtMs?: number,
): Promise<void> {
  return enqueue(
    db,
    run,
    { workspace_id, [payloadId]: id },
    {
      key: `${run.name}:${id}`,
      queue: queueOf(id),
      maxAttempts: TRIES,
      ...(runAtMs !== undefined && { runAtMs }),
    },
  )
}

/** The caller that asked for the work. */
export const originOfWork = (row: WorkRow): Origin => ({
  actor: { kind: row.actor_kind, id: row.actor_id },
  requestId: row.request_id,
  address: row.address,
})

/** @param more what this event alone contains */
export async function recordWork<Row extends WorkRow>(
  { resource: kind, prefix, dataOf }: WorkKind<Row>,
  trx: Db,
  origin: Origin,
  action: EventType,
  row: Row,
  more: Record<string, unknown> = {},
): Promise<void> {
  const { workspace_id: workspaceId, failure, filter } = row
  const id = formatId(prefix, row.id)
  await record(trx, origin, {
    workspaceId,
    action,
    resource: { kind, id },
    data: { [`${kind}_id`]: id, ...dataOf(row), ...more },
    detail: { ...(failure !== null && { failure }), ...(filter !== null && { filter }) },
  })
}

/**
 * Adds work with the devices that are known, unless too much is unfinished. Callers that count at
 * the same time are serialized by `countOneAtATime`.
 * @param insert writes the row
 */
export async function beginWork<Row extends WorkRow>(
  kind: WorkKind<Row>,
  context: Context,
  trx: Db,
  insert: (origin: Origin) => Promise<Row>,
  deviceIds: readonly string[],
): Promise<Row> {
  const { workspaceId } = context
  const { statements, open: openLimit, resource } = kind
  const { open } = await statements.countOpen.one(trx, { workspaceId })
  withinLimit(open, openLimit.limit, openLimit.max, openLimit.what)
  const origin = originOf(context)
  const row = await insert(origin)
  await statements.insertItems.run(trx, { ...keyOf(row), deviceIds })
  await recordWork(kind, trx, origin, `${resource}.created`, row)
  await enqueueRun(kind, trx, row)
  return row
}
