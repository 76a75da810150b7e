/** Rotates a device's credentials: adds new secrets alongside the valid ones. */
import type { DeviceCaller, ProvisionKeyCaller } from '../../../platform/access/principal.ts'
import { type MqttEndpoint, originOf, type Services } from '../../../context.ts'
import { type Db, isUniqueViolation } from '../../../platform/database/connect.ts'
import { Failure, found, invalid } from '../../../platform/errors/errors.ts'
import type { RequestContext } from '../../../platform/http/operation.ts'
import { activeTraceparent } from '../../../platform/trace/span.ts'
import { formatId, newUuid } from '../../../platform/lib/ids.ts'
import { originParams } from '../../common/row-key.ts'
import { generateDeviceSecrets } from '../../mqtt/device-secrets/device-secret.ts'
import { requireAction, type ProvisionContext } from './key-limits.ts'
import { findReplay, type Provisioned, type ReplaySlot, encryptResponse } from './replay.ts'
import type { ProvisionedDevice } from './schema.ts'
import * as store from './store.ts'
import type { ProvisioningServices } from './templates.ts'

export function responseBody(
  { host, port, tls }: MqttEndpoint,
  parts: {
    deviceId: string
    deviceKey: string
    slug: string
    mqttPassword: string
    deviceHttpToken: string
    firmware?: store.ProvisionTemplate['firmware']
  },
): ProvisionedDevice {
  const { firmware } = parts
  return {
    device_id: parts.deviceId,
    device_key: parts.deviceKey,
    workspace_slug: parts.slug,
    mqtt_host: host,
    mqtt_port: port,
    mqtt_tls: tls,
    mqtt_username: parts.deviceId,
    mqtt_password: parts.mqttPassword,
    device_http_token: parts.deviceHttpToken,
    ...(firmware && {
      firmware_url: firmware.url,
      firmware_checksum_sha256: firmware.sha256,
      firmware_size_bytes: firmware.size_bytes,
    }),
  }
}

export { mayRepeatSecrets } from '../../mqtt/device-secrets/device-secret.ts'

/** A refusal by `on_known_device`. @param deviceId UUID */
export const notRenewed = (detail: string, deviceId: string): Failure =>
  new Failure('device_already_registered', {
    detail,
    rule: 'on_known_device',
    resource: { kind: 'device', id: formatId('dev', deviceId) },
  })

const CLAIMED =
  'A phone has claimed this device, and this key renews the credentials of unclaimed devices only (on_known_device: rotate_unclaimed). Staff can allow it for this device, or release the claim.'

const ROTATE_TRIES = 3

/**
 * Rotates the device named by a key.
 * @param reason recorded if the key did not ask for a rotation itself
 */
export async function rotate(
  context: ProvisionContext,
  { deviceId, deviceKey }: { deviceId: string; deviceKey?: string | undefined },
  slot: ReplaySlot | undefined,
  reason?: 'repeated_registration',
): Promise<Provisioned> {
  const { caller, db } = context
  requireAction(caller, 'rotate')
  const device = found(
    await store.findDevice.first(db, { workspaceId: caller.workspaceId, id: deviceId }),
    'device_not_found',
  )
  if (deviceKey !== undefined && deviceKey !== device.device_key) {
    throw invalid('/device_key', 'is not the key of this device')
  }
  const limits = {
    templateIds: caller.templateIds,
    isUnclaimedOnly: caller.onKnownDevice === 'rotate_unclaimed',
  }
  const notified = { api_key_id: formatId('key', caller.keyId), ...(reason && { reason }) }
  for (let tries = 1; ; tries += 1) {
    try {
      return await rotateDevice(context, device, { limits, notified, slot })
    } catch (error) {
      if (!isUniqueViolation(error, 'idempotency_keys_pkey')) throw error
      const replay = await findReplay(context, slot, undefined)
      if (replay?.response) return replay.response
      // The expired response is deleted, which makes room for this one.
      if (tries < ROTATE_TRIES) continue
      throw new Failure('idempotency_in_progress', { retryAfterSeconds: 1, cause: error })
    }
  }
}

/** The caller is the factory or the device itself. */
export type RotatingContext = RequestContext<
  Services & ProvisioningServices,
  ProvisionKeyCaller | DeviceCaller
>

async function whyNot(
  db: Db,
  { workspaceId, deviceId, templateIds, isUnclaimedOnly }: store.RotationWrite,
): Promise<Failure> {
  const device = await store.findDevice.first(db, { workspaceId, id: deviceId })
  const isOfKey =
    templateIds === null ||
    (device?.template_id != null && templateIds.includes(device.template_id))
  const isLive = device !== undefined && device.status !== 'decommissioned'
  if (isLive && isOfKey && isUnclaimedOnly) return notRenewed(CLAIMED, deviceId)
  return new Failure('device_not_found')
}

/** One statement; passwords for brokers that store them commit with it. */
async function writeSecrets(
  { db, passwordSync }: RotatingContext,
  write: store.RotationWrite,
  slot: ReplaySlot | undefined,
  issued: { principalId: string; password: string },
): Promise<void> {
  const rotateOn = async (on: Db): Promise<void> => {
    if ((await store.rotateSecrets(on, write, slot)) === undefined) throw await whyNot(on, write)
  }
  if (!passwordSync.isNeeded()) return rotateOn(db)
  return db.transaction(async (trx) => {
    await rotateOn(trx)
    await passwordSync.issued(trx, write.workspaceId, [issued])
  })
}

interface Rotation {
  limits: store.RotationLimits
  /** Members of the event and the audit entry in addition to the device. */
  notified?: Record<string, unknown>
  slot?: ReplaySlot | undefined
}

/**
 * Adds a pending secret of each kind.
 * @throws Failure device_not_found if it is gone, decommissioned or not of these templates;
 *   device_already_registered if it is claimed and may not be
 */
async function rotateDevice(
  context: RotatingContext,
  device: store.KnownDevice,
  { limits, notified, slot }: Rotation,
): Promise<Provisioned> {
  const { db, keyring } = context
  const { workspaceId } = context.caller
  const generated = generateDeviceSecrets(keyring)
  const deviceId = formatId('dev', device.id)
  const template =
    device.template_id === null
      ? undefined
      : await context.provisionTemplates.find(db, workspaceId, device.template_id)
  const body = responseBody(await context.mqttEndpointOf(workspaceId), {
    deviceId,
    deviceKey: device.device_key,
    slug: device.slug,
    ...generated,
    firmware: template?.firmware ?? null,
  })
  const write = {
    ...limits,
    ...originParams(originOf(context)),
    traceparent: activeTraceparent(),
    workspaceId,
    deviceId: device.id,
    auditId: newUuid(),
    eventId: newUuid(),
    resourceId: deviceId,
    data: JSON.stringify({ device_id: deviceId, device_key: device.device_key, ...notified }),
    mqttHash: generated.mqttHash,
    httpHash: generated.httpHash,
    sealed: encryptResponse(context, 200, body),
  }
  const issued = { principalId: deviceId, password: generated.mqttPassword }
  await writeSecrets(context, write, slot, issued)
  return { status: 200, body, replayed: false }
}

/** A device rotates with its own token. */
export async function rotateOwnCredentials(
  context: RequestContext<Services & ProvisioningServices, DeviceCaller>,
): Promise<ProvisionedDevice> {
  const { workspaceId, deviceId } = context.caller
  const device = found(
    await store.findDevice.first(context.db, { workspaceId, id: deviceId }),
    'device_not_found',
  )
  const limits = { templateIds: null, isUnclaimedOnly: false }
  return (await rotateDevice(context, device, { limits })).body
}
