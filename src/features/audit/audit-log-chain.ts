/**
 * The hash chain of an audit log: each hash covers the entry and the previous hash, so no entry can
 * be changed, removed, inserted or moved without changing all later hashes. The head's MAC needs
 * the master key, so the chain cannot be recomputed from the database alone.
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { Keyring } from '../../access/keyring.ts'
import { canonicalJson } from '../../lib/canonical-json.ts'
import { formatId } from '../../lib/ids.ts'
import { timestamp } from '../shapes.ts'
import type { AuditEntryRow, ChainHead, ChainStart } from './store.ts'

/** The initial hash of a chain: SHA-256 of the workspace's id. */
export const firstHash = (workspaceId: string): Buffer =>
  createHash('sha256').update(formatId('ws', workspaceId)).digest()

/**
 * The hashed form of an entry. It never changes and is available from the API, so that exported
 * logs can be verified independently.
 */
export const hashedForm = (row: AuditEntryRow, seq: number) => ({
  id: formatId('aud', row.id),
  workspace_id: formatId('ws', row.workspace_id),
  seq,
  occurred_at: timestamp(row.occurred_at),
  actor_kind: row.actor_kind,
  actor_id: row.actor_id,
  action: row.action,
  resource_kind: row.resource_kind,
  resource_id: row.resource_id,
  request_id: row.request_id,
  address: row.address,
  detail: row.detail,
})

/** SHA-256 over the 32 bytes of the previous hash and the entry as canonical JSON (RFC 8785). */
export const entryHash = (before: Buffer, row: AuditEntryRow, seq: number): Buffer =>
  createHash('sha256')
    .update(before)
    .update(canonicalJson(hashedForm(row, seq)))
    .digest()

type Head = Omit<ChainHead, 'mac'>

const macOf = (keyring: Keyring, { workspace_id, seq, hash }: Head): Buffer =>
  keyring.mac('audit-head', workspace_id, String(seq), hash)

export const signHead = (keyring: Keyring, head: Head): ChainHead => ({
  ...head,
  mac: macOf(keyring, head),
})

/** Whether this service wrote the head, unaltered. */
export function isOurHead(keyring: Keyring, head: ChainHead): boolean {
  const good = macOf(keyring, head)
  return good.length === head.mac.length && timingSafeEqual(good, head.mac)
}

/**
 * MACs the start of a pruned chain; otherwise whoever has the database could delete the oldest
 * entries.
 */
export const macOfStart = (
  keyring: Keyring,
  { workspace_id, pruned_seq, pruned_hash }: Omit<ChainStart, 'pruned_mac'>,
): Buffer =>
  keyring.mac('audit-start', workspace_id, String(pruned_seq), pruned_hash ?? Buffer.alloc(0))

/** The hash before the first remaining entry; undefined if the start is not ours. */
export function startHash(keyring: Keyring, start: ChainStart): Buffer | undefined {
  const { workspace_id, pruned_seq, pruned_hash, pruned_mac } = start
  if (pruned_seq === 0) return firstHash(workspace_id)
  if (pruned_hash === null || pruned_mac === null) return undefined
  const good = macOfStart(keyring, start)
  const isOurs = good.length === pruned_mac.length && timingSafeEqual(good, pruned_mac)
  return isOurs ? pruned_hash : undefined
}
