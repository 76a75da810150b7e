/**
 * The hash chain of an audit log: each hash covers the entry and the previous hash, so no entry can
 * be changed, removed, inserted or moved without changing all later hashes. The head's MAC needs
 * the master key, so the chain cannot be recomputed from the database alone.
 */
import { createHash } from 'node:crypto'
import type { Keyring } from '../../../platform/access/keyring.ts'
import { canonicalJson } from '../../../platform/lib/canonical-json.ts'
import { formatId } from '../../../platform/lib/ids.ts'
import { timestamp } from '../../common/shapes.ts'
import type { ChainHead, ChainStart, EntryRow } from './store.ts'
import type { Db } from '../../../platform/database/connect.ts'
import * as store from './store.ts'

/** The initial hash of a chain: SHA-256 of the workspace's id. */
export const firstHash = (workspaceId: string): Buffer =>
  createHash('sha256').update(formatId('ws', workspaceId)).digest()

/**
 * The hashed form of an entry. It never changes and is available from the API, so that exported
 * logs can be verified independently.
 */
export const hashedForm = (row: EntryRow, seq: number) => ({
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
export const entryHash = (before: Buffer, row: EntryRow, seq: number): Buffer =>
  createHash('sha256')
    .update(before)
    .update(canonicalJson(hashedForm(row, seq)))
    .digest()

type Head = Omit<ChainHead, 'mac'>

/** The input of the MAC of a head. */
const provenHead = ({ workspace_id, seq, hash }: Head): [string, string, string, Buffer] => [
  'audit-head',
  workspace_id,
  String(seq),
  hash,
]

export const signHead = (keyring: Keyring, head: Head): ChainHead => ({
  ...head,
  mac: keyring.currentMac(...provenHead(head)),
})

/** Whether this service wrote the head, unaltered. */
export const isOurHead = (keyring: Keyring, head: ChainHead): boolean =>
  keyring.isAccepted('audit', head.mac, ...provenHead(head))

type Start = Omit<ChainStart, 'pruned_mac'>

/** The input of the MAC of a start. */
const provenStart = (start: Start): [string, string, string, Uint8Array] => [
  'audit-start',
  start.workspace_id,
  String(start.pruned_seq),
  start.pruned_hash ?? Buffer.alloc(0),
]

/**
 * MACs the start of a deleted chain; otherwise anyone who has the database could delete the oldest
 * entries.
 */
export const macOfStart = (keyring: Keyring, start: Start): Buffer =>
  keyring.currentMac(...provenStart(start))

/** The hash before the first remaining entry; undefined if the start is not ours. */
export function startHash(keyring: Keyring, start: ChainStart): Buffer | undefined {
  const { workspace_id, pruned_seq, pruned_hash, pruned_mac } = start
  if (pruned_seq === 0) return firstHash(workspace_id)
  if (pruned_hash === null || pruned_mac === null) return undefined
  return keyring.isAccepted('audit', pruned_mac, ...provenStart(start)) ? pruned_hash : undefined
}

/**
 * The head of a workspace's chain, kept as proof of how long its log was.
 * @returns undefined if nothing of the workspace is chained yet
 */
export async function readChainHead(
  db: Db,
  workspaceId: string,
): Promise<{ seq: number; hash: Buffer } | undefined> {
  const { seq, hash } = await store.readHeadState.one(db, { workspaceId })
  return seq === null || hash === null ? undefined : { seq, hash }
}
