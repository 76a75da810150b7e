/** The rules of webhooks: target URLs, event types and signing secrets. */
import type { StaffCaller } from '../../../platform/access/principal.ts'
import { type Context, originOf } from '../../../context.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { invalid, withinLimit } from '../../../platform/errors/errors.ts'
import { creatorOf, type EventType } from '../../../platform/record/event.ts'
import { changedFields, record } from '../../../platform/record/record.ts'
import { formatId, newUuid, MAX_UUID } from '../../../platform/lib/ids.ts'
import { generateWebhookSecret, formatSecret } from '../../../adapters/webhook-sender/signature.ts'
import { readTargetUrl, type TargetRules } from '../../../adapters/webhook-sender/target.ts'
import { readTypes } from '../feed/event-types.ts'
import type { EventServices } from '../feed/event-watch.ts'
import { countOneAtATime } from '../../team/active-workspaces/active-workspace.ts'
import { lockToAct } from '../../team/members/acting-user.ts'
import { readPage, type PageQuery } from '../../common/paging.ts'
import { timestampOrNull } from '../../common/shapes.ts'
import * as schema from './schema.ts'
import * as store from './store.ts'
import { webhookEncryptionContext } from './webhook-secrets.ts'
import { lockerOf, readerOf } from '../../common/resource.ts'
import { type Paged, type Revised, revisedBy } from '../../common/results.ts'
import { rowView } from '../../common/row-view.ts'

export interface WebhookServices extends EventServices {
  webhookTargets: TargetRules
  /** For the whole exchange with a receiver, in a test as in a delivery. */
  webhookTimeoutMs: number
}

type WebhookContext = Context & WebhookServices

const MAX_WEBHOOKS = 50

const viewOf = rowView<store.WebhookRow>()(schema.WebhookView, {
  previous_secret_until: (row) => timestampOrNull(row.previous_until),
})

function requireUrl(text: string, rules: TargetRules): string {
  const url = readTargetUrl(text, rules)
  if (typeof url === 'string') throw invalid('/url', url)
  return url.href
}

/** Stored as given, so that `device.*` includes future types. */
function requireTypes(types: readonly string[] | null): string[] | null {
  for (const [at, name] of (types ?? []).entries()) readTypes([name], `/types/${at}`)
  return types && [...types]
}

const recordChange = (
  trx: Db,
  context: Context,
  action: EventType,
  id: string,
  more: { data?: Record<string, unknown>; detail?: Record<string, unknown> } = {},
): Promise<void> => {
  const webhookId = formatId('whk', id)
  return record(trx, originOf(context), {
    workspaceId: context.workspaceId,
    action,
    resource: { kind: 'webhook', id: webhookId },
    data: { webhook_id: webhookId, ...more.data },
    ...(more.detail && { detail: more.detail }),
  })
}

/** Receives events from now on. Under the lock in which the creator may be removed. */
export async function createWebhook(
  context: Context<StaffCaller> & WebhookServices,
  input: schema.CreateWebhook,
): Promise<schema.WebhookWithSecret> {
  const { db, keyring, workspaceId, safeSequence, webhookTargets } = context
  const url = requireUrl(input.url, webhookTargets)
  const types = requireTypes(input.types ?? null)
  const seq = await safeSequence.advance()
  const [id, secret, origin] = [newUuid(), generateWebhookSecret(), originOf(context)]
  return db.transaction(async (trx) => {
    const { requirePermission } = await lockToAct(context, trx)
    requirePermission('webhooks.write')
    await countOneAtATime(trx, workspaceId)
    const { webhooks } = await store.countWebhooks.one(trx, { workspaceId })
    withinLimit(webhooks, 'webhooks', MAX_WEBHOOKS, 'webhooks')
    const row = await store.insertWebhook(trx, {
      workspaceId,
      id,
      url,
      description: input.description ?? null,
      types,
      secret: keyring.encrypt(secret, webhookEncryptionContext(id)),
      seq,
      eventId: MAX_UUID,
      createdBy: creatorOf(origin),
    })
    await recordChange(trx, context, 'webhook.created', id, { data: { url } })
    return { ...viewOf(row), secret: formatSecret(secret) }
  })
}

export async function listWebhooks(
  context: Context,
  query: PageQuery,
): Promise<Paged<schema.WebhookView>> {
  const { db, workspaceId } = context
  const page = readPage(context, query, `webhooks ${workspaceId}`)
  const rows = await store.pageOfWebhooks.rows(db, { workspaceId, ...page.asked })
  return page.of(rows, ({ id }) => id, viewOf)
}

const revisedOf = revisedBy(viewOf)
const readWebhook = readerOf(store.findWebhook, 'webhook_not_found')
const lockRow = lockerOf(store.lockWebhook, 'webhook_not_found')

export const getWebhook = async (
  context: Context,
  id: string,
): Promise<Revised<schema.WebhookView>> => revisedOf(await readWebhook(context.db, context, id))

/** Members of the view that a request can change. */
const FIELDS = ['url', 'description', 'types', 'status'] as const

export async function updateWebhook(
  context: WebhookContext,
  id: string,
  input: schema.UpdateWebhook,
): Promise<Revised<schema.WebhookView>> {
  const newUrl = input.url !== undefined && { url: requireUrl(input.url, context.webhookTargets) }
  const newTypes = input.types !== undefined && { types: requireTypes(input.types) }
  const { workspaceId } = context
  return context.db.transaction(async (trx) => {
    const before = await lockRow(trx, context, id)
    const wanted = { ...before, ...input, ...newUrl, ...newTypes }
    const row = await store.updateWebhook.one(trx, { ...wanted, workspaceId, id })
    const isEnabledAgain = before.status === 'disabled' && row.status === 'enabled'
    const hasNewReceiver = before.url !== row.url
    const isRestarted = isEnabledAgain || hasNewReceiver
    if (isRestarted) {
      const restart = { workspaceId, webhookId: id, isRestarted: hasNewReceiver }
      await store.restartWebhook.run(trx, restart)
    }
    await context.feed.announce(trx, 'webhook', id)
    const view = viewOf(isRestarted ? { ...row, failing_since: null, next_probe_at: null } : row)
    const detail = changedFields(viewOf(before), view, FIELDS)
    const data = { changed: Object.keys(detail.after) }
    await recordChange(trx, context, 'webhook.updated', id, { data, detail })
    return { view, revision: row.revision }
  })
}

export async function rotateWebhookSecret(
  context: WebhookContext,
  id: string,
  overlapSeconds: number,
): Promise<Revised<schema.WebhookWithSecret>> {
  const { db, keyring } = context
  const secret = generateWebhookSecret()
  const encrypted = keyring.encrypt(secret, webhookEncryptionContext(id))
  return db.transaction(async (trx) => {
    await lockRow(trx, context, id)
    const key = { workspaceId: context.workspaceId, id }
    const change = { secret: encrypted, graceSeconds: overlapSeconds }
    const row = await store.rotateSecret.one(trx, { ...key, ...change })
    await context.feed.announce(trx, 'webhook', id)
    await recordChange(trx, context, 'webhook.secret_rotated', id)
    return { view: { ...viewOf(row), secret: formatSecret(secret) }, revision: row.revision }
  })
}

export async function deleteWebhook(context: Context, id: string): Promise<void> {
  await context.db.transaction(async (trx) => {
    const { url } = await lockRow(trx, context, id)
    await store.removeWebhook.run(trx, { workspaceId: context.workspaceId, id })
    await context.feed.announce(trx, 'webhook', id)
    await recordChange(trx, context, 'webhook.deleted', id, { data: { url } })
  })
}
