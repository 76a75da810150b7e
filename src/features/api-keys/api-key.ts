/** The rules of API keys: made once, shown once, revoked at once. */
import { BlockList, isIP } from 'node:net'
import { type Context, originOf, type Services } from '../../context.ts'
import type { Db } from '../../database/connect.ts'
import { demandRevision, Failure, invalid } from '../../errors.ts'
import type { Origin } from '../../events/event.ts'
import { record } from '../../events/record.ts'
import type { KnownCaller } from '../../access/principal.ts'
import { pageOf, readPage } from '../paging.ts'
import { formatId, newUuid, parseId } from '../../lib/ids.ts'
import { mintSecret, PLATFORM_KEY_PREFIX, PROVISION_KEY_PREFIX } from '../../lib/secrets.ts'
import { timestamp, timestampOrNull } from '../shapes.ts'
import type { ApiKeyView, CreateApiKey, CreatedApiKey } from './schema.ts'
import * as store from './store.ts'

/** Live keys of one workspace at most, so that a runaway script is stopped. */
const MAX_LIVE_KEYS = 1_000

const prefixes = { platform: PLATFORM_KEY_PREFIX, provision: PROVISION_KEY_PREFIX } as const

const PROVISION_ONLY = [
  'template_ids',
  'actions',
  'expires_at',
  'device_quota',
  'allowed_cidrs',
  'rate_per_min',
] as const

function statusOf(row: store.ApiKeyRow, now: number): ApiKeyView['status'] {
  if (row.revoked_at !== null) return 'revoked'
  return row.expires_at !== null && row.expires_at <= now ? 'expired' : 'active'
}

function viewOf(row: store.ApiKeyRow, now: number): ApiKeyView {
  const provision = row.kind === 'provision'
  return {
    id: formatId('key', row.id),
    workspace_id: formatId('ws', row.workspace_id),
    key_kind: row.kind,
    name: row.name,
    key_hint: row.hint,
    status: statusOf(row, now),
    template_ids: row.template_ids?.map((id) => formatId('tpl', id)) ?? null,
    actions: provision ? row.actions : null,
    device_quota: row.device_quota,
    devices_registered: row.device_quota === null ? null : row.registered,
    allowed_cidrs: row.allowed_cidrs,
    rate_per_min: row.rate_per_min,
    created_by: row.created_by,
    created_at: timestamp(row.created_at),
    expires_at: timestampOrNull(row.expires_at),
    revoked_at: timestampOrNull(row.revoked_at),
    last_used_at: timestampOrNull(row.last_used_at),
    last_used_ip: row.last_used_ip,
  }
}

/** One network of an `allowed_cidrs` list, read into a block list. */
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

function checkLimits(input: CreateApiKey, now: number): void {
  if (input.key_kind === 'platform') {
    for (const name of PROVISION_ONLY) {
      if (input[name] !== undefined) throw invalid(`/${name}`, 'belongs to provision keys only')
    }
  }
  if (input.expires_at !== undefined && Date.parse(input.expires_at) <= now) {
    throw invalid('/expires_at', 'must lie in the future')
  }
  const networks = new BlockList()
  for (const [index, cidr] of (input.allowed_cidrs ?? []).entries()) {
    if (!addNetwork(networks, cidr)) {
      throw invalid(`/allowed_cidrs/${index}`, 'must be an IP address or a network as 10.0.0.0/8')
    }
  }
}

async function readTemplates(
  db: Db,
  workspaceId: string,
  ids: string[] | undefined,
): Promise<string[] | null> {
  if (ids === undefined) return null
  const uuids = ids.map((id) => parseId('tpl', id) as string)
  const known = await store.findKnownTemplates(db, workspaceId, uuids)
  const missing = uuids.findIndex((uuid) => !known.has(uuid))
  if (missing >= 0) throw invalid(`/template_ids/${missing}`, 'is no template of this workspace')
  return uuids
}

export const createApiKey = (
  context: Context<KnownCaller>,
  input: CreateApiKey,
): Promise<CreatedApiKey> =>
  createKeyOf(context, originOf(context), { ...input, workspaceId: context.workspaceId })

/** Creates a key of a workspace for whoever `origin` names; the command line has no caller. */
export async function createKeyOf(
  services: Pick<Services, 'db' | 'keyring' | 'clock'>,
  origin: Origin,
  input: CreateApiKey & { workspaceId: string },
): Promise<CreatedApiKey> {
  const { db, keyring, clock } = services
  const { workspaceId } = input
  checkLimits(input, clock.now())
  const templateIds = await readTemplates(db, workspaceId, input.template_ids)
  const prefix = prefixes[input.key_kind]
  const key = mintSecret(prefix)
  return db.transaction(async (trx) => {
    if ((await store.countLiveKeys(trx, workspaceId)) >= MAX_LIVE_KEYS) {
      throw new Failure('limit_reached', {
        detail: `A workspace has at most ${MAX_LIVE_KEYS} live API keys.`,
        limit: { name: 'api_keys', value: MAX_LIVE_KEYS },
      })
    }
    const row = await store.insertApiKey(trx, {
      workspaceId,
      id: newUuid(),
      kind: input.key_kind,
      name: input.name ?? `${input.key_kind} key`,
      hash: keyring.hashSecret(key),
      hint: `${prefix}…${key.slice(-4)}`,
      templateIds,
      actions: input.actions ?? ['register', 'rotate'],
      allowedCidrs: input.allowed_cidrs ?? null,
      ratePerMin: input.rate_per_min ?? null,
      deviceQuota: input.device_quota ?? null,
      expiresAt: input.expires_at ?? null,
      createdBy: origin.actor.id ?? origin.actor.kind,
    })
    const view = viewOf(row, clock.now())
    await record(trx, origin, {
      workspaceId,
      action: 'api_key.created',
      resource: { kind: 'api_key', id: view.id },
      data: { api_key_id: view.id, key_kind: view.key_kind, name: view.name },
    })
    return { ...view, key }
  })
}

export async function listApiKeys(
  context: Context<KnownCaller>,
  query: { limit?: number; cursor?: string; key_kind?: string },
): Promise<{ items: ApiKeyView[]; next_cursor: string | null }> {
  const { db, keyring, clock, workspaceId } = context
  const list = `api-keys ${workspaceId} ${query.key_kind ?? ''}`
  const mac = (text: string): Buffer => keyring.mac('cursor', text)
  const page = readPage(query, list, mac)
  const rows = await store.pageOfApiKeys(
    db,
    workspaceId,
    page.after,
    query.key_kind,
    page.limit + 1,
  )
  const now = clock.now()
  return pageOf(
    rows,
    page,
    list,
    mac,
    (row) => row.id,
    (row) => viewOf(row, now),
  )
}

export async function getApiKey(
  context: Context<KnownCaller>,
  keyId: string,
): Promise<{ view: ApiKeyView; revision: number }> {
  const row = await store.findApiKey(context.db, context.workspaceId, keyId)
  if (row === undefined) throw new Failure('api_key_not_found')
  return { view: viewOf(row, context.clock.now()), revision: row.revision }
}

export async function renameApiKey(
  context: Context<KnownCaller>,
  keyId: string,
  name: string,
): Promise<{ view: ApiKeyView; revision: number }> {
  const { db, clock, workspaceId, request } = context
  return db.transaction(async (trx) => {
    const before = await store.lockApiKey(trx, workspaceId, keyId)
    if (before === undefined) throw new Failure('api_key_not_found')
    demandRevision(before.revision, request.ifMatch)
    const row = await store.updateName(trx, workspaceId, keyId, name)
    const view = viewOf(row, clock.now())
    await record(trx, originOf(context), {
      workspaceId,
      action: 'api_key.updated',
      resource: { kind: 'api_key', id: view.id },
      data: { api_key_id: view.id },
      detail: { before: { name: before.name }, after: { name } },
    })
    return { view, revision: row.revision }
  })
}

/** Revoking what is revoked already is the same success: a lost answer can be asked for again. */
export async function revokeApiKey(context: Context<KnownCaller>, keyId: string): Promise<void> {
  const { db, feed, workspaceId, request } = context
  await db.transaction(async (trx) => {
    const row = await store.lockApiKey(trx, workspaceId, keyId)
    if (row === undefined) throw new Failure('api_key_not_found')
    if (row.revoked_at !== null) return
    demandRevision(row.revision, request.ifMatch)
    await store.markRevoked(trx, workspaceId, keyId)
    await feed.announce(trx, 'api-key', keyId)
    const id = formatId('key', keyId)
    await record(trx, originOf(context), {
      workspaceId,
      action: 'api_key.revoked',
      resource: { kind: 'api_key', id },
      data: { api_key_id: id, key_kind: row.kind },
    })
  })
}
