/** The devices currently bound to a mobile identity. */
import type { MoidCaller } from '../../../platform/access/principal.ts'
import { type Context, originOf } from '../../../context.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { requireRevision, found } from '../../../platform/errors/errors.ts'
import { record } from '../../../platform/record/record.ts'
import { formatId } from '../../../platform/lib/ids.ts'
import { bindByDeviceCode, holdDevice, releaseDevice } from '../claim-bindings/claim-binding.ts'
import { workspaceOf } from '../claims/claim.ts'
import { readPage, type PageQuery } from '../../common/paging.ts'
import { timestamp } from '../../common/shapes.ts'
import { type ClaimShownDevice, MoidDeviceView, type RenameMoidDevice } from './schema.ts'
import * as store from './store.ts'
import { type Paged, type Revised, revisedBy } from '../../common/results.ts'
import { rowView } from '../../common/row-view.ts'

const viewOf = rowView<store.MoidDeviceRow>()(MoidDeviceView, {
  claimed_at: (row) => timestamp(row.bound_at),
})

/** The revision is that of the binding: it counts changes made by the phone. */
const revisedOf = revisedBy(viewOf)

const requireDevice = async (
  db: Db,
  { moidId, workspaceId }: MoidCaller,
  deviceId: string,
): Promise<store.MoidDeviceRow> =>
  found(await store.findDevice.first(db, { moidId, workspaceId, deviceId }), 'device_not_found')

/** The device, locked against binding, releasing and renaming. */
async function lockOwnDevice(
  context: Context<MoidCaller>,
  trx: Db,
  deviceId: string,
): Promise<store.MoidDeviceRow> {
  const { workspace_id: workspaceId } = await requireDevice(trx, context.caller, deviceId)
  await holdDevice(trx, workspaceId, deviceId)
  const row = await requireDevice(trx, context.caller, deviceId)
  requireRevision(row.revision, context.request.ifMatch)
  return row
}

export async function listDevices(
  context: Context<MoidCaller>,
  query: PageQuery,
): Promise<Paged<MoidDeviceView>> {
  const { db, caller } = context
  const { moidId, workspaceId } = caller
  const page = readPage(context, query, `moid-devices ${moidId} ${workspaceId ?? ''}`)
  const rows = await store.pageOfDevices.rows(db, { moidId, workspaceId, ...page.asked })
  return page.of(rows, (row) => row.claim_id, viewOf)
}

export async function getDevice(
  context: Context<MoidCaller>,
  deviceId: string,
): Promise<Revised<MoidDeviceView>> {
  return revisedOf(await requireDevice(context.db, context.caller, deviceId))
}

export async function renameDevice(
  context: Context<MoidCaller>,
  deviceId: string,
  change: RenameMoidDevice,
): Promise<Revised<MoidDeviceView>> {
  const { caller, db } = context
  return db.transaction(async (trx) => {
    const before = await lockOwnDevice(context, trx, deviceId)
    if (change.name === undefined) return revisedOf(before)
    await store.writeName.run(trx, {
      workspaceId: before.workspace_id,
      id: before.claim_id,
      name: change.name,
    })
    const row = await requireDevice(trx, caller, deviceId)
    await record(trx, originOf(context), {
      workspaceId: row.workspace_id,
      action: 'claim.updated',
      resource: { kind: 'claim', id: formatId('clm', row.claim_id) },
      // Without the names: names that people give to their devices are not the workspace's
      // business.
      detail: { device_id: formatId('dev', row.device_id), changed: ['name'] },
    })
    return revisedOf(row)
  })
}

/** Releases the device. A new owner claims it with a code of their own. */
export async function releaseOwnDevice(
  context: Context<MoidCaller>,
  deviceId: string,
): Promise<void> {
  await context.db.transaction(async (trx) => {
    const { workspace_id: workspaceId } = await lockOwnDevice(context, trx, deviceId)
    await releaseDevice(context, trx, { workspaceId, deviceId }, context.caller.moidId)
  })
}

/** Claims a device by the code that it shows. */
export async function claimShownDevice(
  context: Context<MoidCaller>,
  input: ClaimShownDevice,
): Promise<Revised<MoidDeviceView>> {
  const within = workspaceOf(context.caller, input.workspace_id)
  const { claim_code: claimCode, name = null } = input
  const binding = await bindByDeviceCode(context, claimCode, within, name)
  return getDevice(context, binding.device_id)
}
