/** The resources that a device can read and claim with its token alone. */
import type { DeviceCaller } from '../../../platform/access/principal.ts'
import type { Context } from '../../../context.ts'
import type { Db } from '../../../platform/database/connect.ts'
import type { RowOf } from '../../../platform/database/sql.ts'
import { found } from '../../../platform/errors/errors.ts'
import { formatId } from '../../../platform/lib/ids.ts'
import { effectiveConfig } from '../config/config.ts'
import { timestamp } from '../../common/shapes.ts'
import * as schema from './schema.ts'
import { bindByPhoneCode } from '../../mobile/claim-bindings/claim-binding.ts'
import { rowView } from '../../common/row-view.ts'
import * as store from './store.ts'
import * as deviceCode from '../../mobile/claims/claim-device-code.ts'

const viewOf = rowView<RowOf<typeof store.findDevice>>()(schema.OwnDevice)

export async function getOwnDevice({
  db,
  caller,
}: Context<DeviceCaller>): Promise<schema.OwnDevice> {
  // Deleted since its token was checked.
  return viewOf(found(await store.findDevice.first(db, caller), 'credential_rejected'))
}

export async function getOwnConfig({
  db,
  caller,
}: Context<DeviceCaller>): Promise<schema.OwnConfig> {
  const own = await effectiveConfig(db, caller.workspaceId, caller.deviceId)
  return found(own, 'credential_rejected')
}

export const { forgetOwner, showClaimCode } = deviceCode

export async function bindClaim(
  context: Context<DeviceCaller>,
  input: schema.BindClaim,
): Promise<schema.BoundClaim> {
  const binding = await bindByPhoneCode(context, input.claim_code)
  return {
    ok: true,
    device_id: formatId('dev', binding.device_id),
    claim_id: formatId('clm', binding.id),
    bound_at: timestamp(binding.bound_at),
  }
}

/** @returns undefined if there is no such device */
export const isRotationDue = async (
  db: Db,
  workspaceId: string,
  deviceId: string,
): Promise<boolean | undefined> =>
  (await store.findDevice.first(db, { workspaceId, deviceId }))?.rotation_due
