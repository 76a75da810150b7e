/**
 * Registers a device: drafted in memory, written in one statement. A conflict means that it may
 * have been registered before; the earlier response is then looked up.
 */
import { originOf } from '../../../context.ts'
import { isForeignKeyViolation, isUniqueViolation } from '../../../platform/database/connect.ts'
import { Failure, found } from '../../../platform/errors/errors.ts'
import { uuidOf } from '../../../platform/lib/ids.ts'
import { isActiveWorkspace } from '../../team/active-workspaces/active-workspace.ts'
import { isClientId, reservedKey } from '../../common/device-key.ts'
import { generateDeviceSecrets } from '../../mqtt/device-secrets/device-secret.ts'
import {
  newDevice,
  registerOne,
  type RegisterOutcome,
  type Registration,
} from '../../devices/registry/device-registration.ts'
import { type DrawnSerial, drawSerial } from '../../devices/templates/serial-drawing.ts'
import { denied, type ProvisionContext } from './key-limits.ts'
import { findReplay, type Provisioned, type ReplaySlot, encryptResponse } from './replay.ts'
import { responseBody, notRenewed, rotate } from './rotation.ts'
import type { ProvisionDevice, ProvisionedDevice } from './schema.ts'
import type { CachedTemplate } from './templates.ts'

/** Attempts if the drawn serial number is taken or a conflicting device has vanished. */
const REGISTER_TRIES = 5
/** Constraints that indicate an earlier registration. */
const CONFLICTS = ['devices_hardware_id', 'idempotency_keys_pkey']

async function templateOf(
  context: ProvisionContext,
  id: string | undefined,
): Promise<CachedTemplate | undefined> {
  const { caller } = context
  if (id === undefined) {
    // Otherwise the same key could not rotate the device, which would have no template's topic
    // rules.
    if (caller.templateIds === null) return undefined
    throw denied('template_ids', 'This key may only register from its templates')
  }
  const templateId = uuidOf('tpl', id)
  const template = found(
    await context.provisionTemplates.find(context.db, caller.workspaceId, templateId),
    'template_not_found',
  )
  if (caller.templateIds !== null && !caller.templateIds.includes(templateId)) {
    throw denied('template_ids', 'This key may not use this template')
  }
  return template
}

export interface Draft {
  registration: Registration
  body: ProvisionedDevice
  /** Undefined if the caller gave the key. */
  serial: DrawnSerial | undefined
}

/** Everything about a registration that is known before the database is called. */
export async function draftRegistration(
  context: ProvisionContext,
  input: ProvisionDevice,
  slot: ReplaySlot | undefined,
): Promise<Draft> {
  const { caller, keyring } = context
  const template = await templateOf(context, input.template_id)
  const endpoint = await context.mqttEndpointOf(caller.workspaceId)
  const slug = caller.workspaceSlug
  const serial =
    input.device_key === undefined && template !== undefined
      ? await drawSerial(context, caller.workspaceId, template, slug)
      : undefined
  const deviceKey = (serial?.deviceKey ?? input.device_key) as string
  const approval = caller.approval === 'required' ? 'pending' : 'approved'
  const notified = approval === 'pending' ? { approval } : {}
  const generated = generateDeviceSecrets(keyring)
  const firmware = template?.firmware ?? null
  const fields = {
    workspaceId: caller.workspaceId,
    deviceKey,
    name: input.name ?? deviceKey,
    templateId: template?.id ?? null,
    hardwareId: input.hardware_id ?? null,
    tags: input.tags ?? {},
  }
  const device = newDevice(originOf(context), fields, generated, notified)
  const { resourceId: deviceId } = device
  const body = responseBody(endpoint, { deviceId, deviceKey, slug, ...generated, firmware })
  const registration: Registration = {
    ...device,
    keyId: caller.keyId,
    hasQuota: caller.hasQuota,
    slug,
    approval,
    sealed: encryptResponse(context, 201, body),
    response: slot,
  }
  return { registration, body, serial }
}

/** One statement; passwords for brokers that store them commit with it. */
async function writeDevice(
  { db, passwordSync, registrations }: ProvisionContext,
  { registration, body }: Draft,
): Promise<RegisterOutcome> {
  if (!passwordSync.isNeeded()) return registrations.write(db, registration)
  return db.transaction(async (trx) => {
    const outcome = await registerOne(trx, registration)
    const issued = { principalId: body.device_id, password: body.mqtt_password }
    if (outcome === 'registered') {
      await passwordSync.issued(trx, registration.workspaceId, [issued])
    }
    return outcome
  })
}

export async function register(
  context: ProvisionContext,
  input: ProvisionDevice,
  slot: ReplaySlot | undefined,
): Promise<Provisioned> {
  if (input.device_key !== undefined && isClientId(input.device_key)) {
    const known = await findKnown(context, input, slot)
    if (known === undefined) throw reservedKey()
    return known
  }
  for (let tries = 1; ; tries += 1) {
    const draft = await draftRegistration(context, input, slot)
    try {
      const outcome = await writeDevice(context, draft)
      if (outcome === 'registered') return { status: 201, body: draft.body, replayed: false }
      draft.serial?.giveBack()
      if (outcome === 'moved') throw await homeFailure(context)
      const known = await findKnown(context, input, slot)
      if (known === undefined) throw new Failure('quota_reached', { rule: 'device_quota' })
      return known
    } catch (error) {
      if (error instanceof Failure) throw error
      if (isForeignKeyViolation(error)) throw new Failure('template_not_found', { cause: error })
      const drawn = isUniqueViolation(error, 'devices_device_key') && input.device_key === undefined
      // A serial number that another device has is used up; any other conflict returns it.
      if (!drawn) draft.serial?.giveBack()
      const known = await findKnown(context, input, slot)
      if (known !== undefined) return known
      const vanished = CONFLICTS.some((constraint) => isUniqueViolation(error, constraint))
      if ((drawn || vanished) && tries < REGISTER_TRIES) continue
      throw conflictFailure(error)
    }
  }
}

/** Why the workspace of a key took no device: it was deleted meanwhile, or has a new slug. */
async function homeFailure({ db, caller }: ProvisionContext): Promise<Failure> {
  // The gate refuses keys of deleted workspaces in the same way.
  if (!(await isActiveWorkspace(db, caller.workspaceId))) return new Failure('credential_rejected')
  // The cached slug is outdated; the next attempt finds the new one.
  return new Failure('unavailable', { retryAfterSeconds: 1 })
}

function conflictFailure(error: unknown): unknown {
  if (isUniqueViolation(error, 'devices_device_key')) return new Failure('device_key_taken')
  if (CONFLICTS.some((constraint) => isUniqueViolation(error, constraint))) {
    return new Failure('idempotency_in_progress', { retryAfterSeconds: 1, cause: error })
  }
  return error
}

/**
 * The response of an earlier registration, if the key may have it. Repeating an Idempotency-Key
 * asks for the lost response of the same registration, so no setting prevents it.
 */
async function findKnown(
  context: ProvisionContext,
  input: ProvisionDevice,
  slot: ReplaySlot | undefined,
): Promise<Provisioned | undefined> {
  const earlier = await findReplay(context, slot, input.hardware_id)
  if (earlier === undefined) return undefined
  const { onKnownDevice } = context.caller
  if (earlier.response && (earlier.bySlot || onKnownDevice !== 'refuse')) return earlier.response
  if (onKnownDevice === 'refuse' || onKnownDevice === 'replay_only') {
    throw notRenewed(
      `A device with this hardware id is registered, and this key gives it no new credentials (on_known_device: ${onKnownDevice}).`,
      earlier.deviceId,
    )
  }
  return rotate(context, { deviceId: earlier.deviceId }, slot, 'repeated_registration')
}
