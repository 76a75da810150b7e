/**
 * Records what unauthenticated callers cause. The audit log is kept for ever and events go to
 * webhooks, so nobody may fill them from outside: the first acts of an address in an hour are
 * recorded like all others, further ones are counted, and one entry with their number is appended
 * when the hour is over. See docs/decisions/0058-counted-audit-entries.md.
 */
import type { Db } from '../database/connect.ts'
import { addressBlocks } from '../lib/address-block.ts'
import * as store from './store.ts'
import type { AuditAction, Change, Origin } from './event.ts'
import { auditRowOf, record } from './record.ts'

export { countActs, insertAuditRows, takeEntries } from './store.ts'

/** Entries of one action in an hour, for one address block and for a workspace. */
const ENTRIES_OF_ADDRESS = 20
const ENTRIES_OF_WORKSPACE = 500
/** Stands for all addresses of a workspace. */
export const ALL = '*'

/** The key under which acts of an address are counted. */
export const countedBlock = (address: string | null): string =>
  addressBlocks(address ?? undefined)[0].name

type Act = Pick<Change, 'workspaceId' | 'action'>

/**
 * Decides, in the transaction of the act, whether it is recorded or counted.
 * @returns null: recorded; else the address block under which to count it
 */
export async function countedUnder(
  trx: Db,
  { address }: Origin,
  { workspaceId, action }: Act,
): Promise<string | null> {
  const block = countedBlock(address)
  const take = (key: string, budget: number) =>
    store.takeEntries(trx, workspaceId, action, new Map([[key, 1]]), budget)
  // The budget of the workspace comes second, so that one address cannot use it up.
  const isRecorded =
    (await take(block, ENTRIES_OF_ADDRESS)).size > 0 &&
    (await take(ALL, ENTRIES_OF_WORKSPACE)).size > 0
  return isRecorded ? null : block
}

/** Records the change, or counts it under an address block. */
export async function recordOrCount(
  trx: Db,
  origin: Origin,
  change: Change,
  block: string | null,
): Promise<void> {
  if (block === null) return record(trx, origin, change)
  const { workspaceId, action } = change
  await store.countActs(trx, [{ workspaceId, action, addressBlock: block, acts: 1 }])
}

/** Like `record`, for a change that an unauthenticated caller can cause at will. */
export const recordBounded = async (trx: Db, origin: Origin, change: Change): Promise<void> =>
  recordOrCount(trx, origin, change, await countedUnder(trx, origin, change))

const timeOf = (ms: number): string => new Date(ms).toISOString()

function entryOf({ workspace_id, action }: store.ClosedWindow, row: store.CountRow) {
  const { address_block: address, addresses, acts, first_at, last_at } = row
  const origin: Origin = { actor: { kind: 'anonymous', id: null }, requestId: null, address }
  return auditRowOf(origin, {
    workspaceId: workspace_id,
    action: action as AuditAction,
    detail: {
      count: acts,
      first_at: timeOf(first_at),
      last_at: timeOf(last_at),
      ...(address === null && { addresses }),
    },
  })
}

const WINDOWS = 100

/**
 * Appends the counts of past hours to the audit log. Any process may do it, several at once too:
 * the counts are deleted in the same transaction.
 */
export async function appendCounts(db: Db): Promise<void> {
  for (const window of await store.findClosedWindows.rows(db, { limit: WINDOWS })) {
    await db.transaction(async (trx) => {
      const { workspace_id: workspaceId, window_start: windowStart, action } = window
      const rows = await store.closeWindow.rows(trx, { workspaceId, windowStart, action })
      if (rows.length > 0) {
        await store.insertAuditRows(
          trx,
          rows.map((row) => entryOf(window, row)),
        )
      }
    })
  }
}
