/** Deletes a device template, possibly moving its devices to another one. */
import { type Context, originOf } from '../../../context.ts'
import type { Db, Transaction } from '../../../platform/database/connect.ts'
import { Failure, invalid } from '../../../platform/errors/errors.ts'
import { deviceChange, record, recordAll } from '../../../platform/record/record.ts'
import { formatId, parseId } from '../../../platform/lib/ids.ts'
import { lockerOf } from '../../common/resource.ts'
import { resourceOf, viewOf } from './device-template-view.ts'
import * as store from './store.ts'
import { devicesLosingAccess, takeTemplateRules } from '../../mqtt/rule-narrowing/narrowing.ts'
import { issueReceipt } from '../../mqtt/revocation/receipt-issue.ts'

/** Counting devices stops here: a refusal must not scan a fleet. */
const MAX_COUNT = 1_000
/** Devices moved by one deletion; a larger transaction would block others too long. */
const MAX_MOVED = 10_000

async function requireUnused(trx: Db, workspaceId: string, templateId: string): Promise<void> {
  const counted = { workspaceId, id: templateId, limit: MAX_COUNT }
  const { devices } = await store.countDevicesOf.one(trx, counted)
  if (devices === 0) return
  const many = devices === MAX_COUNT ? `${MAX_COUNT} or more devices` : `${devices} devices`
  throw new Failure('template_in_use', {
    detail: `${devices === 1 ? '1 device uses' : `${many} use`} this template.`,
  })
}

async function requireMovable(trx: Db, workspaceId: string, templateId: string): Promise<void> {
  const counted = { workspaceId, id: templateId, limit: MAX_MOVED + 1 }
  const { devices } = await store.countDevicesOf.one(trx, counted)
  if (devices <= MAX_MOVED) return
  throw new Failure('template_in_use', {
    detail: `More than ${MAX_MOVED} devices use this template, which are too many to move at once. Move them with a bulk job (move_template) first.`,
  })
}

const noSuchTarget = (): Failure => invalid('/query/move_to', 'is not a template of this workspace')

/**
 * Moves all devices of a template to another, as a change of each device.
 * @returns UUIDs of devices that lose rights
 */
async function moveDevices(
  context: Context,
  trx: Transaction,
  from: string,
  to: string,
): Promise<string[]> {
  const { workspaceId } = context
  const moved = await store.moveDevices.rows(trx, { workspaceId, from, to })
  const detail = {
    before: { template_id: formatId('tpl', from) },
    after: { template_id: formatId('tpl', to) },
  }
  const data = { changed: ['template_id'] }
  await recordAll(
    trx,
    originOf(context),
    moved.map(({ id }) => deviceChange('device.updated', workspaceId, id, data, detail)),
  )
  const moves = moved.map((device) => ({ ...device, from, to }))
  return devicesLosingAccess(trx, workspaceId, moves)
}

const read = lockerOf(store.findTemplate, 'template_not_found')
const lock = lockerOf(store.lockTemplateForDeletion, 'template_not_found')

/** Locked in order of their ids, to avoid deadlocks between deletions. */
async function lockBoth(
  trx: Db,
  context: Context,
  templateId: string,
  target: string | undefined,
): Promise<{ row: store.TemplateRow; isTargetThere: boolean }> {
  const { workspaceId } = context
  const lockTarget = async (): Promise<boolean> =>
    target !== undefined && (await store.holdTemplate.any(trx, { workspaceId, id: target }))
  const isFirst = target !== undefined && target < templateId
  const early = isFirst && (await lockTarget())
  const row = await lock(trx, context, templateId)
  return { row, isTargetThere: isFirst ? early : await lockTarget() }
}

/** @param moveTo id of the template that gets the devices; without it there must be none */
export async function deleteDeviceTemplate(
  context: Context,
  templateId: string,
  moveTo: string | undefined,
): Promise<void> {
  const { db, feed, workspaceId } = context
  const target = moveTo === undefined ? undefined : parseId('tpl', moveTo)
  if (target === templateId) throw invalid('/query/move_to', 'is the template itself')
  const requireFree = target === undefined ? requireUnused : requireMovable
  await db.transaction(async (trx) => {
    // Also checked before locking, so that a refusal does not delay registrations.
    await read(trx, context, templateId)
    await requireFree(trx, workspaceId, templateId)
    await takeTemplateRules(trx, workspaceId)
    const { row, isTargetThere } = await lockBoth(trx, context, templateId, target)
    await requireFree(trx, workspaceId, templateId)
    if (target !== undefined && !isTargetThere) throw noSuchTarget()
    const losing = target ? await moveDevices(context, trx, templateId, target) : []
    await store.deleteTemplate.run(trx, { workspaceId, id: templateId })
    await feed.announce(trx, 'template', templateId)
    const view = viewOf(row)
    if (losing.length > 0) {
      await issueReceipt(context, trx, 'template.deleted', null, { devices: losing })
    }
    await record(trx, originOf(context), {
      workspaceId,
      action: 'template.deleted',
      resource: resourceOf(view),
      data: { template_id: view.id, model_key: view.model_key },
      ...(moveTo !== undefined && { detail: { moved_to: moveTo } }),
    })
  })
}
