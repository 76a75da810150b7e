/** Applies job actions to a chunk of devices in one transaction. */
import type { Db } from '../../../platform/database/connect.ts'
import { deviceChange, recordAll } from '../../../platform/record/record.ts'
import type { AuditAction, Change } from '../../../platform/record/event.ts'
import { lockDevices } from '../../devices/registry/device-transition.ts'
import { hasExternalBrokers, openReceipt } from '../../mqtt/revocation/receipt-issue.ts'
import { keepTemplateRules } from '../../mqtt/rule-narrowing/narrowing.ts'
import type { Action, ActionServices, DeviceRow, ActionContext, Outcome } from './action.ts'
import { moveTemplate, publishConfig, tag } from './field-actions.ts'
import type { ItemResult } from './item-store.ts'
import type { JobAction } from './schema.ts'
import { command, resetCredentials, rotate } from './secret-actions.ts'
import { approve, decommission, reject, remove, resume, suspend } from './status-actions.ts'

export const actions: Readonly<Record<JobAction, Action>> = {
  tag,
  move_template: moveTemplate,
  suspend,
  resume,
  approve,
  reject,
  reset_credentials: resetCredentials,
  rotate,
  decommission,
  delete: remove,
  command,
  publish_config: publishConfig,
}

const changeOf = (
  device: DeviceRow,
  context: ActionContext,
  notified: NonNullable<Action['notified']>,
): Change =>
  deviceChange(
    notified.as,
    context.workspaceId,
    device.id,
    {
      device_key: device.device_key,
      [`${context.work.kind}_id`]: context.work.id,
      ...notified.data?.(device, context),
    },
    notified.detail?.(device, context),
  )

/**
 * One receipt for all devices: external brokers would otherwise continue until the job completes,
 * or forever if it is cancelled.
 */
async function revokeOnExternalBrokers(
  services: ActionServices,
  trx: Db,
  context: ActionContext,
  action: Action,
  changed: readonly DeviceRow[],
): Promise<void> {
  if (changed.length === 0 || !hasExternalBrokers(services)) return
  const devices = await action.losing?.(trx, context, changed)
  if (devices?.length === 0) return
  const { workspaceId, work } = context
  const narrowed = devices && { devices }
  const reason: AuditAction = action.notified?.as ?? 'job.completed'
  await openReceipt(services, trx, { workspaceId, reason, subject: work.id, narrowed })
}

const GONE: Outcome = { status: 'failed', code: 'device_not_found' }

/**
 * Applies an action to devices with audit entries and events, atomically.
 * @returns a result for each device
 */
export async function applyAction(
  services: ActionServices,
  trx: Db,
  name: JobAction,
  context: ActionContext,
  deviceIds: readonly string[],
): Promise<ItemResult[]> {
  const action = actions[name]
  const { notified } = action
  if (action.losing !== undefined) await keepTemplateRules(trx, context.workspaceId)
  const locked = await lockDevices.rows(trx, { workspaceId: context.workspaceId, ids: deviceIds })
  const outcomes = new Map<string, Outcome>()
  for (const device of locked) {
    const outcome = action.evaluate?.(device, context)
    if (outcome !== undefined) outcomes.set(device.id, outcome)
  }
  const meant = locked.filter(({ id }) => !outcomes.has(id))
  if (meant.length > 0) {
    const left = await action.change(services, trx, context, meant)
    for (const [id, outcome] of left ?? []) outcomes.set(id, outcome)
  }
  const changed = meant.filter(({ id }) => !outcomes.has(id))
  if (notified !== undefined) {
    const changes = changed.map((device) => changeOf(device, context, notified))
    await recordAll(trx, context.origin, changes)
  }
  if (action.announces) {
    await services.feed.announceAll(
      trx,
      'device',
      changed.map(({ id }) => id),
    )
    await revokeOnExternalBrokers(services, trx, context, action, changed)
  }
  const done = new Set(changed.map(({ id }) => id))
  return deviceIds.map((deviceId) => {
    if (done.has(deviceId)) return { deviceId, status: 'succeeded', code: null, detail: null }
    const outcome = outcomes.get(deviceId) ?? GONE
    const detail = 'detail' in outcome ? (outcome.detail ?? null) : null
    return { deviceId, status: outcome.status, code: outcome.code, detail }
  })
}
