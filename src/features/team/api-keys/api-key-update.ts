/** Updates an API key: its name and the limits of a provision key. */
import { type Context, originOf } from '../../../context.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { changedFields, record } from '../../../platform/record/record.ts'
import { canonicalTime, timestampOrNull } from '../../common/shapes.ts'
import { viewOf } from './api-key-view.ts'
import { checkSettings, readTemplates } from './key-settings.ts'
import type { ApiKeyView, UpdateApiKey } from './schema.ts'
import * as store from './store.ts'
import type { Revised } from '../../common/results.ts'
import { lockerOf } from '../../common/resource.ts'
import { keyOf } from '../../common/row-key.ts'

/** The mutable members of the public view. */
function fieldsOf(view: ApiKeyView): Partial<ApiKeyView> {
  const { name, template_ids, actions, expires_at, device_quota, allowed_cidrs } = view
  const { rate_per_min, on_known_device, approval } = view
  return {
    name,
    template_ids,
    actions,
    expires_at,
    device_quota,
    allowed_cidrs,
    rate_per_min,
    on_known_device,
    approval,
  }
}

/** The fields after the change; unnamed members stay. */
async function fieldsAfter(trx: Db, row: store.ApiKeyRow, input: UpdateApiKey) {
  const { template_ids } = input
  return {
    name: input.name ?? row.name,
    templateIds:
      template_ids === undefined
        ? row.template_ids
        : await readTemplates(trx, row.workspace_id, template_ids),
    actions: input.actions ?? row.actions,
    allowedCidrs: input.allowed_cidrs === undefined ? row.allowed_cidrs : input.allowed_cidrs,
    ratePerMin: input.rate_per_min === undefined ? row.rate_per_min : input.rate_per_min,
    deviceQuota: input.device_quota === undefined ? row.device_quota : input.device_quota,
    expiresAt:
      input.expires_at === undefined
        ? timestampOrNull(row.expires_at)
        : canonicalTime(input.expires_at),
    onKnownDevice: input.on_known_device ?? row.on_known_device,
    approval: input.approval ?? row.approval,
  }
}

const lock = lockerOf(store.lockApiKey, 'api_key_not_found')

/** Narrowing a key is announced to every process, where it takes effect within a second. */
export async function updateApiKey(
  context: Context,
  keyId: string,
  input: UpdateApiKey,
): Promise<Revised<ApiKeyView>> {
  const { db, feed, clock, workspaceId } = context
  return db.transaction(async (trx) => {
    const before = await lock(trx, context, keyId)
    const now = clock.now()
    checkSettings(before.kind, input, now)
    const fields = await fieldsAfter(trx, before, input)
    const row = await store.updateKey.one(trx, { ...fields, ...keyOf(before) })
    const view = viewOf(row, now)
    const changed = changedFields(fieldsOf(viewOf(before, now)), fieldsOf(view))
    const names = Object.keys(changed.after)
    if (names.some((name) => name !== 'name')) await feed.announce(trx, 'api-key', keyId)
    await record(trx, originOf(context), {
      workspaceId,
      action: 'api_key.updated',
      resource: { kind: 'api_key', id: view.id },
      data: { api_key_id: view.id, changed: names },
      detail: changed,
    })
    return { view, revision: row.revision }
  })
}
