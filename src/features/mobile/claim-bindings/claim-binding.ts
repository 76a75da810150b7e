/**
 * Binds a device to a mobile identity by a code, whichever side showed it, and releases it. Every
 * rule locks the device's row first, which serializes binding, releasing and deleting a device.
 */
import type { DeviceCaller, MoidCaller } from '../../../platform/access/principal.ts'
import { type AnyContext, type Context, originOf } from '../../../context.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { Failure } from '../../../platform/errors/errors.ts'
import type { Origin } from '../../../platform/record/event.ts'
import { deviceChange, record } from '../../../platform/record/record.ts'
import { normaliseClaimCode } from './claim-code.ts'
import { formatId } from '../../../platform/lib/ids.ts'
import { type ReceiptServices, revokePhoneSessions } from '../../mqtt/revocation/receipt-issue.ts'
import { tryCode, wrongCode } from './code-tries.ts'
import * as store from './store.ts'

export type { Binding } from './store.ts'

function hashOf(context: AnyContext, claimCode: string): Buffer {
  const code = normaliseClaimCode(claimCode)
  if (code === undefined) throw new Failure('claim_code_malformed')
  return context.keyring.hashSecret(code)
}

/** Locks a device until the transaction ends. @returns whether it may be claimed */
async function lockDevice(trx: Db, workspaceId: string, deviceId: string): Promise<boolean> {
  const status = (await store.lockDevice.first(trx, { workspaceId, id: deviceId }))?.status
  return status === 'registered' || status === 'active'
}

/**
 * Locks the calling device, which must be unbound, until the transaction ends.
 * @throws Failure device_already_claimed, or credential_rejected if it is gone or suspended
 */
export async function lockUnclaimedDevice(trx: Db, caller: DeviceCaller): Promise<void> {
  const { workspaceId, deviceId } = caller
  if (!(await lockDevice(trx, workspaceId, deviceId))) throw new Failure('credential_rejected')
  const present = await store.findBinding.first(trx, { workspaceId, deviceId })
  if (present !== undefined) throw new Failure('device_already_claimed')
}

/** Keeps a device from being bound, released or deleted until the transaction ends. */
export async function holdDevice(trx: Db, workspaceId: string, deviceId: string): Promise<void> {
  await store.lockDevice.run(trx, { workspaceId, id: deviceId })
}

const recordBinding = (
  origin: Origin,
  trx: Db,
  action: 'device.claimed' | 'device.released',
  { workspace_id, device_id, id, moid_id }: store.Binding,
): Promise<void> => {
  const data = { claim_id: formatId('clm', id), moid_id: formatId('moid', moid_id) }
  return record(trx, origin, deviceChange(action, workspace_id, device_id, data))
}

/** Audit entry and event of a new binding. */
async function finish(
  context: Context<DeviceCaller | MoidCaller>,
  trx: Db,
  bound: store.Binding,
): Promise<store.Binding> {
  context.feed.applyAfterCommit(trx, 'claim', bound.id)
  context.feed.applyAfterCommit(trx, 'moid-devices', bound.moid_id)
  await recordBinding(originOf(context), trx, 'device.claimed', bound)
  return bound
}

/**
 * Evaluates a code before it is used.
 * @returns the device's binding by this very code; undefined if the code is open
 */
function evaluate(check: store.CodeCheck, refusal: Failure | undefined): store.Binding | undefined {
  // The device repeats its own code: the first response was lost.
  if (check.isOwn) return check.binding
  // Regardless of the code, so that a claimed device cannot probe for open codes.
  if (check.binding !== undefined) throw new Failure('device_already_claimed')
  if (refusal !== undefined) throw refusal
  if (check.status !== 'open') throw wrongCode(check.status)
  return undefined
}

/**
 * Binds the calling device to the phone that shows this code. Of concurrent attempts, one succeeds.
 */
export function bindByPhoneCode(
  context: Context<DeviceCaller>,
  claimCode: string,
): Promise<store.Binding> {
  const { db, caller } = context
  const { workspaceId, deviceId } = caller
  const use = { workspaceId, deviceId, codeHash: hashOf(context, claimCode) }
  const bind = async (trx: Db): Promise<store.Binding> => {
    if (!(await lockDevice(trx, workspaceId, deviceId))) throw new Failure('credential_rejected')
    const bound = await store.bindToPhoneCode.first(trx, use)
    if (bound !== undefined) return finish(context, trx, bound)
    const present = evaluate(await store.readPhoneCode(trx, use), undefined)
    if (present === undefined) throw wrongCode('expired')
    return present
  }
  return tryCode(context, async (refusal) => {
    // A code that is not open never will be, so latecomers need no transaction.
    const present = evaluate(await store.readPhoneCode(db, use), refusal)
    return present ?? db.transaction(bind)
  })
}

async function whyNot(
  trx: Db,
  use: store.CodeUse,
  present: store.Binding | undefined,
): Promise<Failure> {
  // Read again, now that nobody else can bind or release the device.
  const match = await store.findByDeviceCode.first(trx, {
    codeHash: use.codeHash,
    workspaceId: use.workspaceId,
  })
  if (match?.status !== 'open') return wrongCode(match?.status)
  if (present !== undefined) return new Failure('device_already_claimed')
  // A suspended device cannot be claimed; to others its code just looks invalid.
  return wrongCode('expired')
}

/**
 * Binds the device that shows this code to the calling mobile identity.
 * @param within the workspace to search; null: all
 */
export function bindByDeviceCode(
  context: Context<MoidCaller>,
  claimCode: string,
  within: string | null,
  name: string | null,
): Promise<store.Binding> {
  const { db, caller } = context
  const codeHash = hashOf(context, claimCode)
  const bind = async (trx: Db): Promise<store.Binding> => {
    const match = await store.findByDeviceCode.first(trx, { codeHash, workspaceId: within })
    if (match === undefined) throw wrongCode(undefined)
    const use = { workspaceId: match.workspace_id, deviceId: match.device_id, codeHash }
    const isLive = await lockDevice(trx, use.workspaceId, use.deviceId)
    const present = await store.findBinding.first(trx, {
      workspaceId: use.workspaceId,
      deviceId: use.deviceId,
    })
    if (present?.id === match.id && present.moid_id === caller.moidId) return present
    const bound =
      isLive && (await store.bindToDeviceCode.first(trx, { ...use, moidId: caller.moidId, name }))
    if (bound) return finish(context, trx, bound)
    throw await whyNot(trx, use, present)
  }
  return tryCode(context, async (refusal) => {
    if (refusal !== undefined) throw refusal
    return db.transaction(bind)
  })
}

/**
 * Ends a device's binding; docs/decisions/0020-release-and-credentials.md describes the effect on
 * its credentials.
 * @param moidId only ends a binding to this identity; null: any
 * @returns whether there was one
 */
export const releaseDevice = (
  context: Context,
  trx: Db,
  device: { workspaceId: string; deviceId: string },
  moidId: string | null,
): Promise<boolean> => releaseDeviceFor(context, trx, originOf(context), device, moidId)

/** The same on behalf of `origin`: a job has no caller. */
export async function releaseDeviceFor(
  services: ReceiptServices,
  trx: Db,
  origin: Origin,
  device: { workspaceId: string; deviceId: string },
  moidId: string | null,
): Promise<boolean> {
  const { workspaceId, deviceId } = device
  await store.lockDevice.run(trx, { workspaceId, id: deviceId })
  const released = await store.endBinding.first(trx, { workspaceId, deviceId, moidId })
  if (released === undefined) return false
  const { feed } = services
  feed.applyAfterCommit(trx, 'claim', released.id)
  feed.applyAfterCommit(trx, 'moid-devices', released.moid_id)
  const phone = { moidId: released.moid_id, workspaceId }
  await revokePhoneSessions(services, trx, phone, 'device.released')
  await recordBinding(origin, trx, 'device.released', released)
  return true
}
