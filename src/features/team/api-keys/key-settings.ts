/** The limits of provision keys, checked on creation and on update. */
import { BlockList, isIP } from 'node:net'
import type { Db } from '../../../platform/database/connect.ts'
import { invalid } from '../../../platform/errors/errors.ts'
import { uuidOf } from '../../../platform/lib/ids.ts'
import { timeOf } from '../../../platform/lib/time.ts'
import type { UpdateApiKey } from './schema.ts'
import * as store from './store.ts'

/** Settings that platform keys do not have. */
export const PROVISION_ONLY = [
  'template_ids',
  'actions',
  'expires_at',
  'device_quota',
  'allowed_cidrs',
  'rate_per_min',
  'on_known_device',
  'approval',
] as const

/** Adds a network of `allowed_cidrs` to a block list. */
export function addNetwork(networks: BlockList, cidr: string): boolean {
  const [address = '', bits, rest] = cidr.split('/')
  const family = isIP(address)
  const width = family === 4 ? 32 : 128
  if (family === 0 || rest !== undefined) return false
  if (bits !== undefined && (!/^\d{1,3}$/.test(bits) || Number(bits) > width)) return false
  networks.addSubnet(
    address,
    bits === undefined ? width : Number(bits),
    family === 4 ? 'ipv4' : 'ipv6',
  )
  return true
}

/** @throws Failure invalid_request */
export function checkSettings(
  kind: 'platform' | 'provision',
  input: UpdateApiKey,
  now: number,
): void {
  if (kind === 'platform') {
    for (const name of PROVISION_ONLY) {
      if (input[name] !== undefined) throw invalid(`/${name}`, 'belongs to provision keys only')
    }
  }
  if (typeof input.expires_at === 'string' && timeOf(input.expires_at) <= now) {
    throw invalid('/expires_at', 'must lie in the future')
  }
  const networks = new BlockList()
  for (const [index, cidr] of (input.allowed_cidrs ?? []).entries()) {
    if (!addNetwork(networks, cidr)) {
      throw invalid(`/allowed_cidrs/${index}`, 'must be an IP address or a network as 10.0.0.0/8')
    }
  }
}

/**
 * UUIDs of the templates, which must belong to the workspace; null for an unlimited key.
 * @throws Failure invalid_request
 */
export async function readTemplates(
  db: Db,
  workspaceId: string,
  ids: readonly string[] | null,
): Promise<string[] | null> {
  if (ids === null) return null
  const uuids = ids.map((id) => uuidOf('tpl', id))
  const rows = await store.findKnownTemplates.rows(db, { workspaceId, ids: uuids })
  const known = new Set(rows.map(({ id }) => id))
  const missing = uuids.findIndex((uuid) => !known.has(uuid))
  if (missing >= 0) throw invalid(`/template_ids/${missing}`, 'is not a template of this workspace')
  return uuids
}
