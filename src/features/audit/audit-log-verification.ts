/** Checks a hash chain from its stored entries, in batches: a log of any length fits in memory. */
import type { Keyring } from '../../access/keyring.ts'
import type { Db } from '../../database/connect.ts'
import { entryHash, firstHash, isOurHead } from './audit-log-chain.ts'
import type { chainFaults, Verification } from './schema.ts'
import * as store from './store.ts'

const BATCH = 1_000
/** What one call looks at; the answer says where the next one goes on. */
const MOST_ENTRIES = 1_000_000

interface Fault {
  reason: (typeof chainFaults)[number]
  seq: number | null
}

interface Walk {
  checked: number
  /** Hash of the last good entry. */
  hash: Buffer
  fault: Fault | undefined
}

/** Walks the chain from `from` to `to`, or to the first entry that is not what was sealed. */
async function walk(
  db: Db,
  workspaceId: string,
  start: Buffer,
  from: number,
  to: number,
): Promise<Walk> {
  let hash = start
  let expected = from
  const fault = (reason: Fault['reason']): Walk => ({
    checked: expected - from,
    hash,
    fault: { reason, seq: expected },
  })
  while (expected <= to) {
    const rows = await store.readSealed(db, workspaceId, expected, to, BATCH)
    for (const row of rows) {
      if (row.seq !== expected) return fault('entry_missing')
      const computed = entryHash(hash, row, expected)
      if (row.hash === null || !row.hash.equals(computed)) return fault('entry_altered')
      hash = computed
      expected += 1
    }
    if (rows.length === 0) return fault('entry_missing')
  }
  return { checked: expected - from, hash, fault: undefined }
}

/** The hash that the entry `from` was chained to. */
async function hashBefore(db: Db, workspaceId: string, from: number): Promise<Buffer | undefined> {
  if (from === 1) return firstHash(workspaceId)
  const [row] = await store.readSealed(db, workspaceId, from - 1, from - 1, 1)
  return row?.hash ?? undefined
}

function faultOfHead(keyring: Keyring, head: store.ChainHead | undefined, state: store.HeadState) {
  if (head === undefined) {
    return state.beyond === null ? undefined : ({ reason: 'head_missing', seq: null } as const)
  }
  if (!isOurHead(keyring, head)) return { reason: 'head_forged', seq: null } as const
  if (state.beyond === null) return undefined
  return { reason: 'entry_beyond_head', seq: state.beyond } as const
}

const headOf = (workspaceId: string, { seq, hash, mac }: store.HeadState) =>
  seq === null || hash === null || mac === null
    ? undefined
    : { workspace_id: workspaceId, seq, hash, mac }

/**
 * Recomputes the chain of a workspace, from its entry `from` on.
 * @param most entries that are looked at.
 */
export async function verifyChain(
  services: { db: Db; keyring: Keyring },
  workspaceId: string,
  from = 1,
  most = MOST_ENTRIES,
): Promise<Verification> {
  const { db, keyring } = services
  const state = await store.readHeadState(db, workspaceId)
  const head = headOf(workspaceId, state)
  const last = head?.seq ?? 0
  const to = Math.min(last, from + most - 1)
  let fault: Fault | undefined
  let checked = 0
  if (head !== undefined && from <= to) {
    const start = await hashBefore(db, workspaceId, from)
    if (start === undefined) fault = { reason: 'entry_missing', seq: from - 1 }
    else {
      const walked = await walk(db, workspaceId, start, from, to)
      ;({ checked, fault } = walked)
      if (fault === undefined && to === last && !walked.hash.equals(head.hash)) {
        fault = { reason: 'head_differs', seq: null }
      }
    }
  }
  fault ??= faultOfHead(keyring, head, state)
  const any = head !== undefined && from <= to
  return {
    valid: fault === undefined,
    sealed_from_seq: any ? from : null,
    sealed_to_seq: any ? to : null,
    entries_checked: checked,
    head_hash: any ? head.hash.toString('hex') : null,
    unsealed: state.unsealed,
    first_bad_seq: fault?.seq ?? null,
    reason: fault?.reason ?? null,
    next_from_seq: fault === undefined && any && to < last ? to + 1 : null,
  }
}
