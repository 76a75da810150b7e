/** The rules of API keys: created, returned once, revoked immediately. */
import { type Context, originOf, type Services } from '../../../context.ts'
import { requireRevision, withinLimit } from '../../../platform/errors/errors.ts'
import { creatorOf, type Origin } from '../../../platform/record/event.ts'
import { record } from '../../../platform/record/record.ts'
import type { StaffCaller } from '../../../platform/access/principal.ts'
import { countOneAtATime } from '../active-workspaces/active-workspace.ts'
import { listFiltered } from '../../common/filtered-list.ts'
import type { PageQuery } from '../../common/paging.ts'
import { formatId, newUuid } from '../../../platform/lib/ids.ts'
import {
  issueSecret,
  PLATFORM_KEY_PREFIX,
  PROVISION_KEY_PREFIX,
} from '../../../platform/lib/secrets.ts'
import { revokeKeys } from '../key-lineage/key-lineage.ts'
import { lockMemberships, lockToAct } from '../members/acting-user.ts'
import { revokeInvitationsOfKeys } from '../members/invitation-revocation.ts'
import { canonicalTime } from '../../common/shapes.ts'
import { viewOf } from './api-key-view.ts'
import { checkSettings, readTemplates } from './key-settings.ts'
import { type ApiKeyView, type CreateApiKey, type CreatedApiKey, apiKeyFields } from './schema.ts'
import * as store from './store.ts'
import type { Paged, Revised } from '../../common/results.ts'
import { readerOf } from '../../common/resource.ts'

/** Live keys per workspace, to stop runaway scripts. */
const MAX_LIVE_KEYS = 1_000

const prefixes = { platform: PLATFORM_KEY_PREFIX, provision: PROVISION_KEY_PREFIX } as const

/** Under the lock: a key created while its creator is being removed is revoked with the others. */
export const createApiKey = (
  context: Context<StaffCaller>,
  input: CreateApiKey,
): Promise<CreatedApiKey> => {
  const { db, workspaceId } = context
  return db.transaction(async (trx) => {
    const { requirePermission } = await lockToAct(context, trx)
    requirePermission('api_keys.write')
    return createKeyOf({ ...context, db: trx }, originOf(context), { ...input, workspaceId })
  })
}

/** Creates a key on behalf of `origin`; the command line has no caller. */
export async function createKeyOf(
  services: Pick<Services, 'db' | 'keyring' | 'clock'>,
  origin: Origin,
  input: CreateApiKey & { workspaceId: string },
): Promise<CreatedApiKey> {
  const { db, keyring, clock } = services
  const { workspaceId } = input
  const { key_kind, ...settings } = input
  checkSettings(key_kind, settings, clock.now())
  const templateIds = await readTemplates(db, workspaceId, input.template_ids ?? null)
  const prefix = prefixes[input.key_kind]
  const key = issueSecret(prefix)
  return db.transaction(async (trx) => {
    await countOneAtATime(trx, workspaceId)
    const { live } = await store.countLiveKeys.one(trx, { workspaceId })
    withinLimit(live, 'api_keys', MAX_LIVE_KEYS, 'live API keys')
    const row = await store.insertApiKey.one(trx, {
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
      expiresAt: canonicalTime(input.expires_at ?? null),
      onKnownDevice: input.on_known_device ?? 'rotate',
      approval: input.approval ?? 'none',
      createdBy: creatorOf(origin),
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
  context: Context,
  query: PageQuery & { key_kind?: string; filter?: string },
): Promise<Paged<ApiKeyView>> {
  const { key_kind } = query
  const now = context.clock.now()
  return listFiltered(context, query, {
    name: 'api-keys',
    fields: apiKeyFields,
    conditions: { key_kind },
    pageOf: store.pageOfApiKeys,
    view: (row) => viewOf(row, now),
  })
}

const read = readerOf(store.findApiKey, 'api_key_not_found')
const lock = readerOf(store.lockApiKey, 'api_key_not_found')

export async function getApiKey(context: Context, keyId: string): Promise<Revised<ApiKeyView>> {
  const row = await read(context.db, context, keyId)
  return { view: viewOf(row, context.clock.now()), revision: row.revision }
}

/** Idempotent: revoking again succeeds, because a response may get lost. */
export async function revokeApiKey(context: Context, keyId: string): Promise<void> {
  const { db, workspaceId, request } = context
  await db.transaction(async (trx) => {
    // Before the key: the removal of a member locks in this order.
    await lockMemberships.first(trx, { id: workspaceId })
    const row = await lock(trx, context, keyId)
    if (row.revoked_at !== null) return
    requireRevision(row.revision, request.ifMatch)
    const origin = originOf(context)
    await revokeKeys(context, trx, origin, workspaceId, [keyId])
    await revokeInvitationsOfKeys(trx, origin, workspaceId, [formatId('key', keyId)])
  })
}
