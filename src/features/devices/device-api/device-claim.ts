/** The device's side of claims: submits a code, shows one, or forgets its owner. */
import type { DeviceCaller } from '../../../platform/access/principal.ts'
import type { Context } from '../../../context.ts'
import { formatId } from '../../../platform/lib/ids.ts'
import { bindByPhoneCode } from '../../mobile/claim-bindings/claim-binding.ts'
import * as deviceCode from '../../mobile/claims/claim-device-code.ts'
import { timestamp } from '../../common/shapes.ts'
import type { BindClaim, BoundClaim, ShowClaimCode, ShownClaim } from './schema.ts'

export const { forgetOwner } = deviceCode

export async function bindClaim(
  context: Context<DeviceCaller>,
  input: BindClaim,
): Promise<BoundClaim> {
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
  input: ShowClaimCode,
): Promise<ShownClaim> {
  const { id, claimCode, expiresAt } = await deviceCode.showClaimCode(context, input.expires_in)
  return {
    claim_id: formatId('clm', id),
    claim_code: claimCode,
    expires_at: timestamp(expiresAt),
  }
}
