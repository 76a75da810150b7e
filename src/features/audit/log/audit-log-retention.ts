/**
 * Deletes expired audit entries. The hash of the last deleted one becomes the MACed start of the
 * chain: the rest stays verifiable, as does the fact that we deleted the beginning.
 */
import type { Keyring } from '../../../platform/access/keyring.ts'
import { NIL_UUID } from '../../../platform/lib/ids.ts'
import { DAY_MS } from '../../../platform/lib/time.ts'
import type { Transaction } from '../../../platform/database/connect.ts'
import { serviceOrigin } from '../../../platform/record/event.ts'
import { record } from '../../../platform/record/record.ts'
import { timestamp } from '../../common/shapes.ts'
import { entryHash, macOfStart, startHash } from './audit-log-chain.ts'
import * as store from './store.ts'
import { requireNewestRoot } from './newest-root.ts'
import type { Services } from '../../../context.ts'

interface Retention extends Pick<Services, 'db' | 'keyring' | 'clock'> {
  /** Called for each chain whose expired part fails verification, which is then kept. */
  onError: (error: unknown) => void
}

const BATCH = 1_000

interface DeletedEntries {
  seq: number
  hash: Buffer
  entries: number
}

/** Deletes one batch. Altered entries stay, as evidence. */
async function deleteBatch(
  trx: Transaction,
  keyring: Keyring,
  workspaceId: string,
  before: number,
): Promise<DeletedEntries | undefined> {
  const start = await store.lockChainStart.first(trx, { workspaceId })
  if (start === undefined) return undefined
  await requireNewestRoot(trx, keyring)
  let hash = startHash(keyring, start)
  let seq = start.pruned_seq
  if (hash === undefined) throw new Error('its beginning is not one that we wrote')
  const ids: string[] = []
  for (const row of await store.readChained.rows(trx, {
    workspaceId,
    from: seq + 1,
    to: seq + BATCH,
  })) {
    if (row.occurred_at >= before) break
    const computed = entryHash(hash, row, seq + 1)
    if (row.seq !== seq + 1 || row.hash?.equals(computed) !== true) {
      throw new Error(`its entry ${seq + 1} does not match the hash chain`)
    }
    hash = computed
    seq += 1
    ids.push(row.id)
  }
  if (ids.length === 0) return undefined
  const moved = { workspace_id: workspaceId, pruned_seq: seq, pruned_hash: hash }
  const prunedMac = macOfStart(keyring, moved)
  await store.deleteUpTo.run(trx, { workspaceId, ids, prunedSeq: seq, prunedHash: hash, prunedMac })
  return { seq, hash, entries: ids.length }
}

async function deleteOldEntriesOf(
  { db, keyring }: Retention,
  workspaceId: string,
  before: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  let last: DeletedEntries | undefined
  let entries = 0
  for (;;) {
    if (signal?.aborted) break
    const deleted = await db.transaction((trx) => deleteBatch(trx, keyring, workspaceId, before))
    if (deleted === undefined) break
    last = deleted
    entries += deleted.entries
  }
  if (last === undefined) return
  await record(db, serviceOrigin, {
    workspaceId,
    action: 'audit.pruned',
    detail: { entries, to_seq: last.seq, hash: last.hash.toString('hex') },
  })
}

/** The next UUID. */
function after(uuid: string): string {
  const next = (BigInt(`0x${uuid.replaceAll('-', '')}`) + 1n).toString(16).padStart(32, '0')
  return next.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

/** Deletes chained entries of all workspaces older than `days`; 0 keeps all. */
export async function deleteOldAuditEntries(
  services: Retention,
  days: number,
  signal?: AbortSignal,
): Promise<void> {
  if (days === 0) return
  const { db, clock, onError } = services
  const before = clock.now() - days * DAY_MS
  let from = NIL_UUID
  for (;;) {
    const overdue = { workspaceId: from, occurredAt: timestamp(before) }
    const workspaceId = (await store.findOverdue.first(db, overdue))?.workspace_id
    if (workspaceId === undefined || signal?.aborted) return
    await deleteOldEntriesOf(services, workspaceId, before, signal).catch((cause: unknown) =>
      onError(
        new Error(`old audit entries of workspace ${workspaceId} were not deleted`, { cause }),
      ),
    )
    from = after(workspaceId)
  }
}
