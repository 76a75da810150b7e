/** Verifies a hash chain from its stored entries, in batches of bounded memory. */
import type { Keyring } from '../../../platform/access/keyring.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { entryHash, isOurHead, startHash } from './audit-log-chain.ts'
import type { chainFaults, Verification } from './schema.ts'
import * as store from './store.ts'
import type { Services } from '../../../context.ts'

const BATCH = 1_000
/** Entries per call; the response says where the next call continues. */
const MAX_ENTRIES = 1_000_000

type Verifying = Pick<Services, 'db' | 'keyring'>

/** A previously published anchor. */
interface Anchor {
  seq: number
  /** In hex. */
  hash: string
}

interface VerifyOptions {
  from?: number | undefined
  /** Maximum number of entries. */
  max?: number
  anchor?: Anchor | undefined
}

interface Fault {
  reason: (typeof chainFaults)[number]
  seq: number | null
}

interface CheckedEntries {
  checked: number
  /** Hash of the last valid entry. */
  hash: Buffer
  fault: Fault | undefined
}

/** Checks the chain from `from` to `to`, or to the first entry that does not match. */
async function checkEntries(
  db: Db,
  workspaceId: string,
  start: Buffer,
  from: number,
  to: number,
): Promise<CheckedEntries> {
  let hash = start
  let expected = from
  const fault = (reason: Fault['reason'], seq = expected): CheckedEntries => ({
    checked: seq - from,
    hash,
    fault: { reason, seq },
  })
  while (expected <= to) {
    const until = Math.min(to, expected + BATCH - 1)
    const rows = await store.readChained.rows(db, { workspaceId, from: expected, to: until })
    for (const row of rows) {
      // Two entries in one place.
      if (row.seq < expected) return fault('entry_altered', row.seq)
      if (row.seq > expected) return fault('entry_missing')
      const computed = entryHash(hash, row, expected)
      if (row.hash === null || !row.hash.equals(computed)) return fault('entry_altered')
      hash = computed
      expected += 1
    }
    if (expected <= until) return fault('entry_missing')
  }
  return { checked: expected - from, hash, fault: undefined }
}

/** The hash to which entry `from` was chained. */
async function hashBefore(
  { db, keyring }: Verifying,
  state: store.HeadState,
  from: number,
): Promise<Buffer | undefined> {
  if (from === state.pruned_seq + 1) return startHash(keyring, state)
  const [row] = await store.readChained.rows(db, {
    workspaceId: state.workspace_id,
    from: from - 1,
    to: from - 1,
  })
  return row?.hash ?? undefined
}

/** Whether an anchor matches the stored hashes; `checkEntries` verifies those. */
async function findAnchor(
  { db }: Verifying,
  state: store.HeadState,
  { seq, hash }: Anchor,
): Promise<Verification['anchor']> {
  if (seq < state.pruned_seq) return 'pruned'
  const [row] = await store.readChained.rows(db, {
    workspaceId: state.workspace_id,
    from: seq,
    to: seq,
  })
  const stored = seq === state.pruned_seq ? state.pruned_hash : row?.hash
  return stored?.toString('hex') === hash ? 'contained' : 'missing'
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
 * Entries that have no place in the chain and do not wait for one either, and waiting ones that are
 * gone. Only a chain that was verified from its beginning is known to miss none of its own.
 */
async function faultOfRest(
  db: Db,
  workspaceId: string,
  isWhole: boolean,
): Promise<Fault | undefined> {
  const { entries } = await store.countUnchained.one(db, { workspaceId })
  if (entries > 0) return { reason: 'entry_unchained', seq: null }
  return isWhole && entries < 0 ? { reason: 'entry_missing', seq: null } : undefined
}

/** Reads the requested part of the chain and checks its end. */
async function checkChain(
  services: Verifying,
  state: store.HeadState,
  head: store.ChainHead | undefined,
  from: number,
  to: number,
): Promise<{ checked: number; fault: Fault | undefined }> {
  let checked = 0
  let fault: Fault | undefined
  if (head !== undefined && from <= to) {
    const start = await hashBefore(services, state, from)
    if (start === undefined) fault = { reason: 'entry_missing', seq: from - 1 }
    else {
      const part = await checkEntries(services.db, state.workspace_id, start, from, to)
      ;({ checked, fault } = part)
      if (fault === undefined && to === head.seq && !part.hash.equals(head.hash)) {
        fault = { reason: 'head_differs', seq: null }
      }
    }
  }
  if (head !== undefined && startHash(services.keyring, state) === undefined) {
    fault ??= { reason: 'head_forged', seq: null }
  }
  fault ??= faultOfHead(services.keyring, head, state)
  if (fault === undefined && to >= (head?.seq ?? 0)) {
    const isWhole = from === state.pruned_seq + 1
    fault = await faultOfRest(services.db, state.workspace_id, isWhole)
  }
  return { checked, fault }
}

/** Recomputes a workspace's chain, starting at entry `from`. */
export async function verifyChain(
  services: Verifying,
  workspaceId: string,
  options: VerifyOptions = {},
): Promise<Verification> {
  const { max = MAX_ENTRIES, anchor } = options
  const state = await store.readHeadState.one(services.db, { workspaceId })
  const head = headOf(workspaceId, state)
  const last = head?.seq ?? 0
  const from = Math.max(options.from ?? 1, state.pruned_seq + 1)
  const to = Math.min(last, from + max - 1)
  const found = anchor === undefined ? null : await findAnchor(services, state, anchor)
  let { checked, fault } = await checkChain(services, state, head, from, to)
  if (found === 'missing') fault ??= { reason: 'anchor_missing', seq: anchor?.seq ?? null }
  const any = head !== undefined && from <= to
  return {
    valid: fault === undefined,
    pruned_to_seq: state.pruned_seq === 0 ? null : state.pruned_seq,
    sealed_from_seq: any ? from : null,
    sealed_to_seq: any ? to : null,
    entries_checked: checked,
    head_hash: any ? head.hash.toString('hex') : null,
    unsealed: state.unsealed,
    first_bad_seq: fault?.seq ?? null,
    reason: fault?.reason ?? null,
    anchor: found,
    next_from_seq: fault === undefined && any && to < last ? to + 1 : null,
  }
}
