/**
 * Erases deleted workspaces whose retention has ended, in batches that commit with their progress:
 * another process can continue after a crash, and no two do the same work. Finally every table is
 * checked again, and the installation's audit log records what was erased.
 */
import { createHash } from 'node:crypto'
import type { Db } from '../../../platform/database/connect.ts'
import { Failure } from '../../../platform/errors/errors.ts'
import type { Task } from '../../../platform/jobs/job.ts'
import { INSTALLATION, serviceOrigin } from '../../../platform/record/event.ts'
import { record } from '../../../platform/record/record.ts'
import { formatId } from '../../../platform/lib/ids.ts'
import type { PlanServices } from '../../metering/plans/plan-directory.ts'
import { readChainHead } from '../../audit/log/audit-log-chain.ts'
import { refOfName } from '../../domains/ownership/directory.ts'
import { timestamp } from '../../common/shapes.ts'
import type { Progress } from './schema.ts'
import * as store from './store.ts'

/** Workspaces per run. */
const MAX_AT_ONCE = 100
/** Rows per transaction; fewer if it takes too long. */
const BATCHES = [2_000, 200, 20] as const
/**
 * How long tables must stay empty before the erasure is final: the audit log is appended to the
 * chain concurrently, and pending entries must have been written.
 */
const QUIET_MS = 30_000

/** Erased after everything that can still be logged. */
const LAST = ['audit_queue', 'audit_log', 'audit_batches', 'audit_chains']

const sha256 = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex')

/** Tables before those they reference; the audit log last. */
export function inOrder(
  tables: readonly string[],
  references: readonly { child: string; parent: string }[],
): string[] {
  const order = new Set<string>()
  const visit = (table: string, path: readonly string[]): void => {
    if (order.has(table) || path.includes(table)) return
    for (const { child, parent } of references) {
      if (parent === table && tables.includes(child)) visit(child, [...path, table])
    }
    order.add(table)
  }
  for (const table of tables) visit(table, [])
  const rest = [...order].filter((table) => !LAST.includes(table))
  return [...rest, ...LAST.filter((table) => order.has(table))]
}

async function presentHead(trx: Db, id: string): Promise<Progress['head']> {
  const head = await readChainHead(trx, id)
  return head && { seq: head.seq, sha256: sha256(head.hash) }
}

/** Deletes one batch from the first table that is not empty. */
async function eraseBatch(
  trx: Db,
  { id, erasure }: store.DueRow,
  tables: readonly string[],
  batch: number,
): Promise<boolean> {
  for (const table of tables) {
    if (table === 'domains') await store.releaseNames(trx, id, refOfName)
    const deleted = await store.deleteRows(trx, table, id, batch)
    if (deleted === 0) continue
    const rows = { ...erasure.rows, [table]: (erasure.rows[table] ?? 0) + deleted }
    // The log may still grow until then, by erasing the rest.
    const { head = LAST.includes(table) ? await presentHead(trx, id) : undefined } = erasure
    const progress = { ...(head && { head }), rows, clean_since: null }
    await store.writeProgress.run(trx, { id, erasure: JSON.stringify(progress) })
    return true
  }
  return false
}

/** Rows left in tables found empty; there must be none. */
async function proveEmpty(trx: Db, id: string, tables: readonly string[]): Promise<void> {
  for (const table of tables) {
    const found = await store.countRows(trx, table, id)
    if (found > 0) throw new Error(`${found} rows of an erased workspace are left in ${table}`)
  }
}

/**
 * The entry contains a hash of the workspace's id: with the id one can find the entry, but not the
 * reverse.
 */
async function finish(trx: Db, row: store.DueRow, tables: readonly string[]): Promise<void> {
  const { id, erasure } = row
  await proveEmpty(trx, id, tables)
  await store.deleteWorkspaceRow.run(trx, { id })
  await record(trx, serviceOrigin, {
    workspaceId: INSTALLATION,
    action: 'workspace.erased',
    detail: {
      workspace_sha256: sha256(formatId('ws', id)),
      requested_at: timestamp(row.delete_requested_at),
      due_at: timestamp(row.erase_at),
      tables_empty: tables,
      rows: erasure.rows,
      audit_entries: erasure.head?.seq ?? 0,
      audit_head_sha256: erasure.head?.sha256 ?? null,
    },
  })
}

type Step = 'more' | 'wait' | 'erased' | 'taken'

interface Plan {
  tables: readonly string[]
  quietMs: number
  isInvoicing: boolean
}

async function eraseStep(
  trx: Db,
  id: string,
  { tables, quietMs, isInvoicing }: Plan,
  batch: number,
): Promise<Step> {
  const row = await store.lockDue.first(trx, { id, invoicedOnly: isInvoicing })
  if (row === undefined) return 'taken'
  if (await eraseBatch(trx, row, tables, batch)) return 'more'
  const since = row.erasure.clean_since ?? row.now
  if (row.now - since < quietMs) {
    if (row.erasure.clean_since !== since) {
      const progress = { ...row.erasure, clean_since: since }
      await store.writeProgress.run(trx, { id, erasure: JSON.stringify(progress) })
    }
    return 'wait'
  }
  await finish(trx, row, tables)
  return 'erased'
}

/** Performs steps while there are any, with smaller batches if one takes too long. */
async function eraseOne(db: Db, id: string, plan: Plan, signal: AbortSignal): Promise<Step> {
  let step: Step = 'more'
  let size = 0
  while (step === 'more' && !signal.aborted) {
    const batch = BATCHES[size] as number
    try {
      step = await db.transaction((trx) => eraseStep(trx, id, plan, batch))
    } catch (error) {
      const isSlow = error instanceof Failure && error.code === 'unavailable'
      size += 1
      if (!isSlow || size === BATCHES.length) throw error
    }
  }
  return step
}

/**
 * Continues to erase due workspaces; call it repeatedly. May run in several processes at once.
 * @param quietMs how long a workspace must have been found empty
 * @param isInvoicing whether invoices are issued: the last one then precedes the erasure
 * @returns the number of completed erasures
 * @throws Error if some failed, after all others
 */
export async function eraseWorkspaces(
  db: Db,
  signal: AbortSignal,
  quietMs: number = QUIET_MS,
  isInvoicing = false,
): Promise<number> {
  const due = await store.findDue.rows(db, { limit: MAX_AT_ONCE, invoicedOnly: isInvoicing })
  if (due.length === 0) return 0
  const names = (await store.findTables.rows(db)).map(({ name }) => name)
  const tables = inOrder(names, await store.findReferences.rows(db))
  const plan = { tables, quietMs, isInvoicing }
  let erased = 0
  const failures: unknown[] = []
  for (const { id } of due) {
    try {
      if ((await eraseOne(db, id, plan, signal)) === 'erased') erased += 1
    } catch (error) {
      // A workspace that fails must not block the others.
      failures.push(error)
    }
  }
  if (failures.length > 0) throw new Error('workspaces stay', { cause: failures[0] })
  return erased
}

export const createWorkspaceTasks = ({ db, plans }: { db: Db } & PlanServices): Task[] => [
  {
    name: 'workspaces.erase',
    everyMs: 60_000,
    run: async (_payload, signal) => void (await eraseWorkspaces(db, signal, QUIET_MS, plans.isOn)),
  },
]
