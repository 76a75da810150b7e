/**
 * Factory provisioning: registers a device or rotates its credentials. A repeated registration
 * (same hardware id or Idempotency-Key) gets the first response again; a lost response neither
 * duplicates a device nor locks it out.
 */
import { invalid } from '../../../platform/errors/errors.ts'
import { formatId } from '../../../platform/lib/ids.ts'
import { readPage, type PageQuery } from '../../common/paging.ts'
import { requireAction, requireKeyLimits, type ProvisionContext } from './key-limits.ts'
import { uuidOf } from '../../../platform/lib/ids.ts'
import { type Provisioned, slotOf } from './replay.ts'
import { register } from './registration.ts'
import { rotate } from './rotation.ts'
import { withPublicIds } from './sent-ids.ts'
import type { ProvisionDevice, TemplateRow } from './schema.ts'
import { pageOfTemplates } from './store.ts'
import type { Paged } from '../../common/results.ts'

/** Registers; or rotates, if `device_id` or a known `hardware_id` names a device. */
export async function provisionDevice(
  context: ProvisionContext,
  sent: ProvisionDevice,
): Promise<Provisioned> {
  const input = withPublicIds(sent)
  requireKeyLimits(context, input.workspace_id)
  const slot = slotOf(context, input)
  const { device_id, device_key: deviceKey } = input
  if (device_id !== undefined) {
    return rotate(context, { deviceId: uuidOf('dev', device_id), deviceKey }, slot)
  }
  if (input.template_id === undefined && input.device_key === undefined) {
    throw invalid('/template_id', 'is missing: registration wants template_id or device_key')
  }
  requireAction(context.caller, 'register')
  return register(context, input, slot)
}

/** The templates that a key may use. */
export async function listTemplates(
  context: ProvisionContext,
  query: PageQuery & { workspace_id?: string },
): Promise<Paged<TemplateRow>> {
  requireKeyLimits(context, query.workspace_id)
  const { db, caller } = context
  const page = readPage(context, query, `provision-templates ${caller.keyId}`)
  const { workspaceId, templateIds } = caller
  const rows = await pageOfTemplates.rows(db, { workspaceId, ids: templateIds, ...page.asked })
  return page.of(
    rows,
    ({ id }) => id,
    (row) => ({ ...row, id: formatId('tpl', row.id) }),
  )
}
