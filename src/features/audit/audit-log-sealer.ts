/**
 * Seals new entries into the hash chains of their workspaces, off the request path: a chain that
 * each change extended by itself would make all changes of a workspace wait for one another. Any
 * number of processes may seal at once; the row of the chain's head says whose turn it is.
 */
import type { Keyring } from '../../access/keyring.ts'
import { Failure } from '../../errors.ts'
import type { Db, Transaction } from '../../database/connect.ts'
import { entryHash, firstHash, isOurHead, signHead } from './audit-log-chain.ts'
import * as store from './sealing-store.ts'
import type { AuditEntryRow, ChainHead } from './store.ts'

/** Workspaces of one transaction, and the entries that all of them together may have in it. */
const GROUP = 16
/** Hashing a thousand entries takes some ten milliseconds, in which nothing else runs. */
const BATCH = 1_000

export interface AuditSealer {
  /**
   * Seals everything that was there when it was called; with `most` not many more than so many
   * entries of workspaces that are sealed together, so that a bulk load is left the machine.
   */
  seal: (most?: number) => Promise<void>
  /** Lets a `seal` that is under way end after its present transaction. */
  stop: () => void
}

interface SealerOptions {
  db: Db
  keyring: Keyring
  /** Told of each chain that could not be extended; the others go on. */
  onError: (error: unknown) => void
}

interface Sealed {
  /** How many entries. */
  count: number
  /** Whether some workspace had more entries than the batch took. */
  more: boolean
  /** Workspaces whose head is not one that we have written. */
  forged: string[]
}

function extend(
  head: ChainHead,
  rows: readonly AuditEntryRow[],
): { seals: store.Seal[]; seq: number; hash: Buffer } {
  let { seq, hash } = head
  const seals = rows.map((row) => {
    seq += 1
    hash = entryHash(hash, row, seq)
    return { workspaceId: row.workspace_id, id: row.id, seq, hash }
  })
  return { seals, seq, hash }
}

async function sealGroup(
  trx: Transaction,
  keyring: Keyring,
  workspaceIds: readonly string[],
): Promise<Sealed> {
  const first = workspaceIds.map((workspace_id) =>
    signHead(keyring, { workspace_id, seq: 0, hash: firstHash(workspace_id) }),
  )
  await store.insertHeads(trx, first)
  const heads = await store.lockHeads(trx, workspaceIds)
  const ours = heads.filter((head) => isOurHead(keyring, head))
  const forged = heads.filter((head) => !ours.includes(head)).map((head) => head.workspace_id)
  const limit = Math.ceil(BATCH / workspaceIds.length)
  const ids = ours.map((head) => head.workspace_id)
  // A statement of its own: it has to see what the last holder of the locks has sealed.
  const rows = await store.findUnsealed(trx, ids, limit)
  if (rows.length === 0) return { count: 0, more: false, forged }
  const rowsOf = Map.groupBy(rows, (row) => row.workspace_id)
  const seals: store.Seal[] = []
  const moved: ChainHead[] = []
  for (const head of ours) {
    const extension = extend(head, rowsOf.get(head.workspace_id) ?? [])
    seals.push(...extension.seals)
    const { seq, hash } = extension
    if (seq > head.seq) moved.push(signHead(keyring, { ...head, seq, hash }))
  }
  const written = await store.writeSeals(trx, seals)
  if (written !== seals.length) throw new Error('audit entries changed while they were sealed')
  await store.updateHeads(trx, moved)
  const more = [...rowsOf.values()].some((each) => each.length === limit)
  return { count: seals.length, more, forged }
}

export function createAuditSealer({ db, keyring, onError }: SealerOptions): AuditSealer {
  const broken = new Set<string>()
  const ending = new AbortController()

  /** Told once of each chain: it stays broken until somebody has looked into it. */
  function complain(workspaceId: string, cause: unknown): void {
    if (broken.has(workspaceId)) return
    broken.add(workspaceId)
    onError(new Error(`the audit chain of workspace ${workspaceId} is broken`, { cause }))
  }

  async function sealAll(workspaceIds: readonly string[], most: number): Promise<void> {
    let count = 0
    let more = true
    while (more && count < most && !ending.signal.aborted) {
      const sealed = await db.transaction((trx) => sealGroup(trx, keyring, workspaceIds))
      more = sealed.more
      count += sealed.count
      for (const id of sealed.forged) complain(id, new Error('its head is not one that we wrote'))
    }
  }

  /** One chain that can't be extended must not hold up the others of its group. */
  async function sealApart(workspaceIds: readonly string[], most: number): Promise<void> {
    for (const id of workspaceIds) {
      await sealAll([id], most).catch((error: unknown) => {
        if (error instanceof Failure) throw error
        complain(id, error)
      })
    }
  }

  async function seal(most = Number.POSITIVE_INFINITY): Promise<void> {
    let group = await store.findPending(db, undefined, GROUP)
    while (group.length > 0 && !ending.signal.aborted) {
      const ids = group
      await sealAll(ids, most).catch((error: unknown) => {
        // A database that is away is no fault of a chain.
        if (error instanceof Failure) throw error
        return sealApart(ids, most)
      })
      group = ids.length < GROUP ? [] : await store.findPending(db, ids.at(-1), GROUP)
    }
  }

  return {
    seal,
    stop: () => ending.abort(),
  }
}
