/** Finds the response to a provisioning request that was made before. */
import { createHash } from 'node:crypto'
import type { ProvisionKeyCaller } from '../../../platform/access/principal.ts'
import type { Context } from '../../../context.ts'
import { Failure, undecryptableResponse } from '../../../platform/errors/errors.ts'
import { uuidOf } from '../../../platform/lib/ids.ts'
import { readStored } from '../../../platform/lib/stored-json.ts'
import { mayRepeatSecrets } from '../../mqtt/device-secrets/device-secret.ts'
import { type ProvisionDevice, type ProvisionedDevice, StoredProvisioning } from './schema.ts'
import * as store from './store.ts'

/** The storage slot of a request's Idempotency-Key, and the request's fingerprint. */
export interface ReplaySlot {
  scope: Buffer
  keyHash: Buffer
  fingerprint: Buffer
}

export interface Provisioned {
  status: 200 | 201
  body: ProvisionedDevice
  replayed: boolean
}

/** A device that was registered before. */
export interface Found {
  /** UUID. */
  deviceId: string
  /** A request that may be repeated. */
  response?: Provisioned | undefined
  /** Whether it was found by Idempotency-Key, not by hardware id. */
  bySlot: boolean
}

type ReplayContext = Pick<Context<ProvisionKeyCaller>, 'db' | 'keyring' | 'request' | 'caller'>

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest()

/** Independent of the order of members. */
const fingerprintOf = (input: ProvisionDevice): Buffer =>
  sha256(JSON.stringify(Object.entries(input).sort(([a], [b]) => (a < b ? -1 : 1))))

export function slotOf(
  { caller, request }: Pick<ReplayContext, 'caller' | 'request'>,
  input: ProvisionDevice,
): ReplaySlot | undefined {
  const { idempotencyKey } = request
  if (idempotencyKey === undefined) return undefined
  return {
    scope: sha256(`key:${caller.keyId} provisionDevice`),
    keyHash: sha256(idempotencyKey),
    fingerprint: fingerprintOf(input),
  }
}

const ASSOCIATED = 'provisioning answer'

/** Only the requesting key can decrypt it: the database alone reveals no secret. */
export const encryptResponse = (
  context: Pick<Context, 'keyring' | 'request'>,
  status: 200 | 201,
  body: ProvisionedDevice,
): Buffer =>
  context.keyring.encryptFor(
    context.request.credential,
    Buffer.from(JSON.stringify({ status, body })),
    ASSOCIATED,
  )

function decryptResponse(context: ReplayContext, encrypted: Buffer): Provisioned | undefined {
  const decrypted = context.keyring.decryptFor(context.request.credential, encrypted, ASSOCIATED)
  if (decrypted === undefined) return undefined
  return { ...readStored(StoredProvisioning, JSON.parse(decrypted.toString())), replayed: true }
}

/**
 * Looks for an earlier request with the same Idempotency-Key, then for a device with the same
 * hardware id. A response is repeated for a day, to the key that got it, and only while its secrets
 * are valid and were never used: anyone who repeats the request after that may not be the device,
 * or would be locked out by outdated ones. The device then counts as known.
 * @throws Failure idempotency_key_reused
 */
export async function findReplay(
  context: ReplayContext,
  slot: ReplaySlot | undefined,
  hardwareId: string | undefined,
): Promise<Found | undefined> {
  const { db, caller } = context
  const found = slot && (await findStored(context, slot))
  if (found !== undefined || hardwareId === undefined) return found
  const { workspaceId } = caller
  const key = { workspaceId, hardwareIds: [hardwareId] }
  const device = await store.findByHardwareIds.first(db, key)
  if (device === undefined) return undefined
  return { deviceId: device.id, response: firstResponse(context, device), bySlot: false }
}

async function findStored(context: ReplayContext, slot: ReplaySlot): Promise<Found | undefined> {
  const { db, caller } = context
  const stored = await store.findStoredResponse.first(db, slot)
  if (stored === undefined) return undefined
  const discard = () => store.deleteStoredResponse.run(db, { ...slot, sealed: stored.sealed })
  if (!stored.fresh) {
    await discard()
    return undefined
  }
  if (!stored.fingerprint.equals(slot.fingerprint)) throw new Failure('idempotency_key_reused')
  const response = decryptResponse(context, stored.sealed)
  // It alone says which device it was: another registration could be a second one.
  if (response === undefined) throw undecryptableResponse()
  const deviceId = uuidOf('dev', response.body.device_id)
  if (await mayRepeatSecrets(context, response.body)) return { deviceId, response, bySlot: true }
  await discard()
  const device = await store.findDevice.first(db, { workspaceId: caller.workspaceId, id: deviceId })
  return device && { deviceId, bySlot: true }
}

/** The first response of a device, if this key may have it again. */
function firstResponse(
  context: ReplayContext,
  device: store.HardwareMatch,
): Provisioned | undefined {
  const mine = device.key_id === context.caller.keyId
  if (!device.fresh || device.sealed === null || !mine) return undefined
  return decryptResponse(context, device.sealed)
}

/** The first responses of devices that this key may have again, by hardware id. */
export async function findFirstResponses(
  context: ReplayContext,
  hardwareIds: readonly string[],
): Promise<Map<string, Provisioned>> {
  if (hardwareIds.length === 0) return new Map()
  const { workspaceId } = context.caller
  const devices = await store.findByHardwareIds.rows(context.db, { workspaceId, hardwareIds })
  return new Map(
    devices.flatMap((device) => {
      const response = firstResponse(context, device)
      return response ? [[device.hardware_id, response]] : []
    }),
  )
}
