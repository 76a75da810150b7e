/**
 * Appends new entries to their workspaces' hash chains, off the request path: if each change
 * extended the chain, all changes of a workspace would be serialized. Any number of processes may
 * append; the row of the chain's head is the lock.
 */
import { columnsOf } from '../../../platform/database/sql.ts'
import type { Keyring } from '../../../platform/access/keyring.ts'
import { Failure } from '../../../platform/errors/errors.ts'
import type { Transaction } from '../../../platform/database/connect.ts'
import { entryHash, firstHash, isOurHead, signHead } from './audit-log-chain.ts'
import { requireNewestRoot } from './newest-root.ts'
import * as store from './chain-store.ts'
import type { ChainHead, EntryRow } from './store.ts'
import type { Services } from '../../../context.ts'

/** Workspaces per transaction, and total entries they may have. */
const GROUP = 16
/** Hashing a thousand entries blocks the event loop for about ten milliseconds. */
const BATCH = 1_000

export interface ChainAppender {
  /**
   * Appends everything that existed when it was called; with `max`, only about that many entries
   * of workspaces that are chained together, to leave the machine to a bulk load.
   */
  append: (max?: number) => Promise<void>
  /** Stops a running append after its current transaction. */
  stop: () => void
}

interface AppenderOptions extends Pick<Services, 'db' | 'keyring'> {
  /** Called for each chain that could not be extended; the others continue. */
  onError: (error: unknown) => void
}

interface Appended {
  /** Entries chained. */
  count: number
  /** Whether some workspace had more entries than fit into the batch. */
  more: boolean
  /** Workspaces whose head we did not write. */
  forged: string[]
}

function extend(
  head: ChainHead,
  rows: readonly EntryRow[],
): { chained: store.ChainedEntry[]; seq: number; hash: Buffer } {
  let { seq, hash } = head
  const chained = rows.map((row) => {
    seq += 1
    hash = entryHash(hash, row, seq)
    return { workspaceId: row.workspace_id, id: row.id, seq, hash }
  })
  return { chained, seq, hash }
}

async function appendGroup(
  trx: Transaction,
  keyring: Keyring,
  workspaceIds: readonly string[],
): Promise<Appended> {
  const first = workspaceIds.map((workspace_id) =>
    signHead(keyring, { workspace_id, seq: 0, hash: firstHash(workspace_id) }),
  )
  await store.beginChains.run(trx, columnsOf(first))
  const heads = await store.lockHeads.rows(trx, { workspaceIds })
  await requireNewestRoot(trx, keyring)
  const ours = heads.filter((head) => isOurHead(keyring, head))
  const forged = heads.filter((head) => !ours.includes(head)).map((head) => head.workspace_id)
  const limit = Math.ceil(BATCH / workspaceIds.length)
  const ids = ours.map((head) => head.workspace_id)
  // A separate statement, which sees what the previous lock holder has taken.
  const rowsOf = await store.takeEntries(trx, ids, limit)
  const chained: store.ChainedEntry[] = []
  const moved: ChainHead[] = []
  for (const head of ours) {
    const extension = extend(head, rowsOf.get(head.workspace_id) ?? [])
    chained.push(...extension.chained)
    const { seq, hash } = extension
    if (seq > head.seq) moved.push(signHead(keyring, { ...head, seq, hash }))
  }
  if (moved.length > 0) {
    await store.insertBatches.run(trx, columnsOf(chained))
    await store.moveHeads.run(trx, columnsOf(moved))
  }
  const more = [...rowsOf.values()].some((each) => each.length >= limit)
  return { count: chained.length, more, forged }
}

export function createChainAppender({ db, keyring, onError }: AppenderOptions): ChainAppender {
  const broken = new Set<string>()
  const ending = new AbortController()

  /** Reported once per chain: it stays broken until someone investigates. */
  function complain(workspaceId: string, cause: unknown): void {
    if (broken.has(workspaceId)) return
    broken.add(workspaceId)
    onError(new Error(`the audit chain of workspace ${workspaceId} is broken`, { cause }))
  }

  async function appendAll(workspaceIds: readonly string[], max: number): Promise<void> {
    let count = 0
    let more = true
    while (more && count < max && !ending.signal.aborted) {
      const appended = await db.transaction((trx) => appendGroup(trx, keyring, workspaceIds))
      more = appended.more
      count += appended.count
      for (const id of appended.forged)
        complain(id, new Error('the signature of its head is invalid'))
    }
  }

  /** A chain that cannot be extended must not block the others of its group. */
  async function appendEach(workspaceIds: readonly string[], max: number): Promise<void> {
    for (const id of workspaceIds) {
      await appendAll([id], max).catch((error: unknown) => {
        if (error instanceof Failure) throw error
        complain(id, error)
      })
    }
  }

  async function append(max = Number.POSITIVE_INFINITY): Promise<void> {
    let group = await store.findPending(db, undefined, GROUP)
    while (group.length > 0 && !ending.signal.aborted) {
      const ids = group
      await appendAll(ids, max).catch((error: unknown) => {
        // An unavailable database is no fault of the chain.
        if (error instanceof Failure) throw error
        return appendEach(ids, max)
      })
      group = ids.length < GROUP ? [] : await store.findPending(db, ids.at(-1), GROUP)
    }
  }

  return { append, stop: () => ending.abort() }
}
