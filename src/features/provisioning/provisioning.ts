/**
 * Factory provisioning: registers a device or rotates its credentials. A repeated registration
 * (same hardware id, or same Idempotency-Key) gets the first answer again; a lost answer neither
 * doubles a device nor locks it out.
 */
import { BlockList, isIP } from 'node:net'
import type { DeviceCaller, ProvisionKeyCaller } from '../../access/principal.ts'
import { originOf, type Services } from '../../context.ts'
import type { RequestContext } from '../../http/operation.ts'
import { isForeignKeyViolation, isUniqueViolation } from '../../database/connect.ts'
import { Failure, invalid } from '../../errors.ts'
import { formatId, newUuid, parseId } from '../../lib/ids.ts'
import { addNetwork } from '../api-keys/api-key.ts'
import { renderSerial } from '../device-templates/serial-format.ts'
import { mintDeviceSecrets } from '../device-secrets/device-secret.ts'
import { findReplay, type ReplaySlot, sealAnswer, slotOf } from './replay.ts'
import { pageOf, readPage } from '../paging.ts'
import type { ProvisionDevice, ProvisionedDevice, TemplateRow } from './schema.ts'
import * as store from './store.ts'
import type { CachedTemplate, ProvisioningServices } from './templates.ts'

export type ProvisionContext = RequestContext<Services & ProvisioningServices, ProvisionKeyCaller>

export interface Provisioned {
  status: 200 | 201
  body: ProvisionedDevice
  replayed: boolean
}

/** Tries when the serial number that was drawn is taken, or what was in the way has vanished. */
const REGISTER_TRIES = 5
/** What makes a registration find out whether it has happened before. */
const CONFLICTS = ['devices_hardware_id', 'idempotency_keys_pkey']

const denied = (detail: string): Failure => new Failure('key_scope_denied', { detail })

/** Networks of a key, read once for each list. */
const networksOf = new WeakMap<readonly string[], BlockList>()

function demandAddress({ allowedCidrs }: ProvisionKeyCaller, address: string): void {
  if (allowedCidrs === null) return
  let networks = networksOf.get(allowedCidrs)
  if (networks === undefined) {
    networks = new BlockList()
    for (const cidr of allowedCidrs) addNetwork(networks, cidr)
    networksOf.set(allowedCidrs, networks)
  }
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
  if (!networks.check(address, family)) {
    throw denied('This key may not be used from this address (allowed_cidrs).')
  }
}

export function demandWorkspace(caller: ProvisionKeyCaller, workspaceId: string | undefined): void {
  if (workspaceId === undefined) return
  if (parseId('ws', workspaceId) === caller.workspaceId) return
  throw denied('This key belongs to another workspace.')
}

function demandAction(caller: ProvisionKeyCaller, action: 'register' | 'rotate'): void {
  if (!caller.actions.includes(action)) throw denied(`This key may not ${action} (actions).`)
}

/** What every use of a provision key must pass. */
export function demandKeyLimits(context: ProvisionContext, workspaceId: string | undefined): void {
  demandAddress(context.caller, context.request.address)
  demandWorkspace(context.caller, workspaceId)
}

/** Registers, or rotates when `device_id` or a known `hardware_id` names a device. */
export async function provisionDevice(
  context: ProvisionContext,
  input: ProvisionDevice,
): Promise<Provisioned> {
  demandKeyLimits(context, input.workspace_id)
  const slot = slotOf(context, input)
  if (input.device_id !== undefined) return rotate(context, input, slot)
  if (input.template_id === undefined && input.device_key === undefined) {
    throw invalid('/template_id', 'is missing: registration wants template_id or device_key')
  }
  demandAction(context.caller, 'register')
  return register(context, input, slot)
}

async function templateOf(
  context: ProvisionContext,
  id: string | undefined,
): Promise<CachedTemplate | undefined> {
  if (id === undefined) return undefined
  const { caller } = context
  const templateId = parseId('tpl', id) as string
  const template = await context.provisionTemplates.find(context.db, caller.workspaceId, templateId)
  if (template === undefined) throw new Failure('template_not_found')
  if (caller.templateIds !== null && !caller.templateIds.includes(templateId)) {
    throw denied('This key may not use this template (template_ids).')
  }
  return template
}

export interface Draft {
  registration: store.Registration
  body: ProvisionedDevice
  /** A serial number that goes back when the registration does not happen. */
  sequence: number | undefined
}

export function answerBody(
  context: Pick<Services, 'mqttEndpoint'>,
  parts: {
    deviceId: string
    deviceKey: string
    slug: string
    mqttPassword: string
    deviceHttpToken: string
    firmware?: store.ProvisionTemplate['firmware']
  },
): ProvisionedDevice {
  const { host, port, tls } = context.mqttEndpoint()
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

/** Everything of a registration that is known before the database is asked. */
export async function draftRegistration(
  context: ProvisionContext,
  input: ProvisionDevice,
  slot: ReplaySlot | undefined,
): Promise<Draft> {
  const { caller, keyring } = context
  const template = await templateOf(context, input.template_id)
  const slug = caller.workspaceSlug
  let sequence: number | undefined
  let deviceKey = input.device_key
  if (deviceKey === undefined && template !== undefined) {
    if (template.usesSequence)
      sequence = await context.serials.take(caller.workspaceId, template.id)
    const now = new Date(context.clock.now())
    deviceKey = renderSerial(template.format, { slug, now, sequence: sequence ?? 0 })
  }
  const key = deviceKey as string
  const uuid = newUuid()
  const deviceId = formatId('dev', uuid)
  const minted = mintDeviceSecrets(keyring)
  const firmware = template?.firmware ?? null
  const body = answerBody(context, { deviceId, deviceKey: key, slug, ...minted, firmware })
  const registration: store.Registration = {
    workspaceId: caller.workspaceId,
    deviceId: uuid,
    auditId: newUuid(),
    eventId: newUuid(),
    origin: originOf(context),
    resourceId: deviceId,
    data: { device_id: deviceId, device_key: key, template_id: input.template_id ?? null },
    mqttHash: minted.mqttHash,
    httpHash: minted.httpHash,
    sealed: sealAnswer(context, 201, body),
    answer: slot,
    keyId: caller.keyId,
    hasQuota: caller.hasQuota,
    deviceKey: key,
    name: input.name ?? key,
    templateId: template?.id ?? null,
    hardwareId: input.hardware_id ?? null,
    tags: input.tags ?? {},
  }
  return { registration, body, sequence }
}

/** Takes back the serial number of a registration that surely did not happen. */
export function returnSerial(context: ProvisionContext, draft: Draft): void {
  const { workspaceId, templateId } = draft.registration
  if (draft.sequence === undefined || templateId === null) return
  context.serials.giveBack(workspaceId, templateId, draft.sequence)
}

async function register(
  context: ProvisionContext,
  input: ProvisionDevice,
  slot: ReplaySlot | undefined,
): Promise<Provisioned> {
  for (let tries = 1; ; tries += 1) {
    const draft = await draftRegistration(context, input, slot)
    try {
      const registered = await store.registerDevice(context.db, draft.registration)
      if (registered) return { status: 201, body: draft.body, replayed: false }
      returnSerial(context, draft)
      return await resolveConflict(context, input, slot, new Failure('quota_reached'))
    } catch (error) {
      if (error instanceof Failure) throw error
      if (isForeignKeyViolation(error)) throw new Failure('template_not_found', { cause: error })
      const drawn = isUniqueViolation(error, 'devices_device_key') && input.device_key === undefined
      // A serial number that another device has is used up; all other conflicts give it back.
      if (!drawn) returnSerial(context, draft)
      const known = await findKnown(context, input, slot)
      if (known !== undefined) return known
      const vanished = CONFLICTS.some((constraint) => isUniqueViolation(error, constraint))
      if ((drawn || vanished) && tries < REGISTER_TRIES) continue
      throw conflictFailure(error)
    }
  }
}

function conflictFailure(error: unknown): unknown {
  if (isUniqueViolation(error, 'devices_device_key')) return new Failure('device_key_taken')
  if (CONFLICTS.some((constraint) => isUniqueViolation(error, constraint))) {
    return new Failure('idempotency_in_progress', { retryAfterSeconds: 1, cause: error })
  }
  return error
}

async function resolveConflict(
  context: ProvisionContext,
  input: ProvisionDevice,
  slot: ReplaySlot | undefined,
  otherwise: Failure,
): Promise<Provisioned> {
  const known = await findKnown(context, input, slot)
  if (known !== undefined) return known
  throw otherwise
}

/** The answer of a registration that has happened already: replayed, or a rotation a day later. */
async function findKnown(
  context: ProvisionContext,
  input: ProvisionDevice,
  slot: ReplaySlot | undefined,
): Promise<Provisioned | undefined> {
  const found = await findReplay(context, slot, input.hardware_id)
  if (found === undefined) return undefined
  if (found.kind === 'replay') return found.answer
  const device_id = formatId('dev', found.deviceId)
  return rotate(context, { device_id }, slot)
}

async function rotate(
  context: ProvisionContext,
  input: { device_id?: string; device_key?: string },
  slot: ReplaySlot | undefined,
): Promise<Provisioned> {
  const { caller, db } = context
  demandAction(caller, 'rotate')
  const deviceId = parseId('dev', input.device_id as string) as string
  const device = await store.findDevice(db, caller.workspaceId, deviceId)
  if (device === undefined) throw new Failure('device_not_found')
  if (input.device_key !== undefined && input.device_key !== device.device_key) {
    throw invalid('/device_key', 'is not the key of this device')
  }
  return rotateDevice(context, device, caller.templateIds, slot)
}

/** The caller is the factory, or the device itself. */
export type RotatingContext = RequestContext<
  Services & ProvisioningServices,
  ProvisionKeyCaller | DeviceCaller
>

/**
 * Gives a device a new pending secret of each kind, beside what is good now.
 * @throws Failure device_not_found when it is gone, decommissioned or not for these templates.
 */
export async function rotateDevice(
  context: RotatingContext,
  device: store.KnownDevice,
  templateIds: readonly string[] | null,
  slot?: ReplaySlot,
): Promise<Provisioned> {
  const { db, keyring } = context
  const { workspaceId } = context.caller
  const minted = mintDeviceSecrets(keyring)
  const deviceId = formatId('dev', device.id)
  const template =
    device.template_id === null
      ? undefined
      : await context.provisionTemplates.find(db, workspaceId, device.template_id)
  const body = answerBody(context, {
    deviceId,
    deviceKey: device.device_key,
    slug: device.slug,
    ...minted,
    firmware: template?.firmware ?? null,
  })
  const write: store.ProvisionWrite = {
    workspaceId,
    deviceId: device.id,
    auditId: newUuid(),
    eventId: newUuid(),
    origin: originOf(context),
    resourceId: deviceId,
    data: { device_id: deviceId, device_key: device.device_key },
    mqttHash: minted.mqttHash,
    httpHash: minted.httpHash,
    sealed: sealAnswer(context, 200, body),
    answer: slot,
  }
  try {
    const generation = await store.rotateSecrets(db, write, templateIds)
    if (generation === undefined) throw new Failure('device_not_found')
    return { status: 200, body, replayed: false }
  } catch (error) {
    if (slot === undefined || !isUniqueViolation(error, 'idempotency_keys_pkey')) throw error
    const found = await findReplay(context, slot, undefined)
    if (found?.kind === 'replay') return found.answer
    throw new Failure('idempotency_in_progress', { retryAfterSeconds: 1, cause: error })
  }
}

/** A device asks for new credentials with its own token. */
export async function rotateOwnCredentials(
  context: RequestContext<Services & ProvisioningServices, DeviceCaller>,
): Promise<ProvisionedDevice> {
  const { workspaceId, deviceId } = context.caller
  const device = await store.findDevice(context.db, workspaceId, deviceId)
  if (device === undefined) throw new Failure('device_not_found')
  return (await rotateDevice(context, device, null)).body
}

/** The templates that a key may register from. */
export async function listTemplates(
  context: ProvisionContext,
  query: { limit?: number; cursor?: string; workspace_id?: string },
): Promise<{ items: TemplateRow[]; next_cursor: string | null }> {
  demandKeyLimits(context, query.workspace_id)
  const { db, keyring, caller } = context
  const list = `provision-templates ${caller.keyId}`
  const mac = (text: string): Buffer => keyring.mac('cursor', text)
  const page = readPage(query, list, mac)
  const { workspaceId, templateIds } = caller
  const rows = await store.pageOfTemplates(db, workspaceId, templateIds, page.after, page.limit + 1)
  return pageOf(
    rows,
    page,
    list,
    mac,
    ({ id }) => id,
    (row) => ({ ...row, id: formatId('tpl', row.id) }),
  )
}
