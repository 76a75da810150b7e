/** What a device can read and claim with its token alone. */
import type { DeviceCaller } from '../../../platform/access/principal.ts'
import type { Context } from '../../../context.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { Failure } from '../../../platform/errors/errors.ts'
import { formatId } from '../../../platform/lib/ids.ts'
import { effectiveConfig } from '../config/config.ts'
import { timestamp, timestampOrNull } from '../../common/shapes.ts'
import type * as schema from './schema.ts'
import { bindByPhoneCode } from '../../mobile/claim-bindings/claim-binding.ts'
import * as store from './store.ts'
import * as deviceCode from '../../mobile/claims/claim-device-code.ts'

export async function getOwnDevice({
  db,
  caller,
}: Context<DeviceCaller>): Promise<schema.OwnDevice> {
  const row = await store.findDevice.first(db, caller)
  // Deleted since its token was checked.
  if (row === undefined) throw new Failure('credential_rejected')
  return {
    device_id: formatId('dev', row.id),
    device_key: row.device_key,
    workspace_id: formatId('ws', row.workspace_id),
    workspace_slug: row.slug,
    name: row.name,
    template_id: row.template_id === null ? null : formatId('tpl', row.template_id),
    status: row.status,
    approval: row.approval,
    claimed: row.claimed_at !== null,
    claimed_at: timestampOrNull(row.claimed_at),
    rotation_due: row.rotation_due,
    tags: row.tags,
  }
}

export async function getOwnConfig({
  db,
  caller,
}: Context<DeviceCaller>): Promise<schema.OwnConfig> {
  const own = await effectiveConfig(db, caller.workspaceId, caller.deviceId)
  if (own === undefined) throw new Failure('credential_rejected')
  return own
}

export const { forgetOwner } = deviceCode

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

export async function showClaimCode(
  context: Context<DeviceCaller>,
  input: schema.ShowClaimCode,
): Promise<schema.ShownClaim> {
  const { id, claimCode, expiresAt } = await deviceCode.showClaimCode(context, input.expires_in)
  return { claim_id: formatId('clm', id), claim_code: claimCode, expires_at: timestamp(expiresAt) }
}

/** @returns undefined if there is no such device */
export const isRotationDue = async (
  db: Db,
  workspaceId: string,
  deviceId: string,
): Promise<boolean | undefined> =>
  (await store.findDevice.first(db, { workspaceId, deviceId }))?.rotation_due
