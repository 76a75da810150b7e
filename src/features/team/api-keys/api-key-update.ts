/** Updates an API key: its name and the limits of a provision key. */
import { type Context, originOf } from '../../../context.ts'
import { changedFields, record } from '../../../platform/record/record.ts'
import { canonicalTime, timestampOrNull } from '../../common/shapes.ts'
import { viewOf } from './api-key-view.ts'
import { checkSettings, PROVISION_ONLY, readTemplates } from './key-settings.ts'
import type { ApiKeyView, UpdateApiKey } from './schema.ts'
import * as store from './store.ts'
import type { Revised } from '../../common/results.ts'
import { lockerOf } from '../../common/resource.ts'

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
    const { template_ids: templates, expires_at = timestampOrNull(before.expires_at) } = input
    const row = await store.updateKey.one(trx, {
      ...before,
      ...input,
      template_ids:
        templates === undefined
          ? before.template_ids
          : await readTemplates(trx, workspaceId, templates),
      expires_at: canonicalTime(expires_at),
      workspaceId,
    })
    const view = viewOf(row, now)
    const changed = changedFields(viewOf(before, now), view, ['name', ...PROVISION_ONLY])
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
