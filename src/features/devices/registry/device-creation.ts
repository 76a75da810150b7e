/** Devices created by staff and backends; factories register theirs by provisioning. */
import { type Context, originOf } from '../../../context.ts'
import { type Db, isForeignKeyViolation } from '../../../platform/database/connect.ts'
import { Failure, invalid } from '../../../platform/errors/errors.ts'
import { parseId } from '../../../platform/lib/ids.ts'
import { checkFieldValues, definitionsFor } from '../custom-fields/custom-field-values.ts'
import { isClientId, reservedKey } from '../../common/device-key.ts'
import {
  type GeneratedSecrets,
  generateDeviceSecrets,
} from '../../mqtt/device-secrets/device-secret.ts'
import { parseSerialFormat, renderSerial, usesSequence } from '../templates/serial-format.ts'
import type { SerialSequences } from '../templates/serial-sequence.ts'
import { requireSmall, requireSmallConfig } from '../../common/json-object.ts'
import { noSuchTemplate } from './device.ts'
import { newDevice, registerByStaff, type StaffDevice } from './device-registration.ts'
import { credentialsOf, viewOf } from './device-view.ts'
import type { CreateDevice, CreatedDevice } from './schema.ts'
import * as store from './store.ts'

/** In addition to the services of all operations. */
export interface DeviceServices {
  serials: SerialSequences
}

type CreationContext = Context & DeviceServices

/** Attempts if a generated serial is taken. */
const SERIAL_TRIES = 20

interface Serial {
  deviceKey: string
  /** Called if the device is not created after all. */
  giveBack: () => void
}

/** Draws serials one after another; numbers of taken ones are used up. */
async function drawSerial(
  context: CreationContext,
  templateId: string,
  home: store.Home,
): Promise<Serial> {
  const { serials, clock, workspaceId } = context
  const format = parseSerialFormat(home.serial_format ?? '')
  if ('error' in format) throw new Error(`template ${templateId} has a bad serial_format`)
  const isNumbered = usesSequence(format)
  const sequence = isNumbered ? await serials.take(workspaceId, templateId) : 0
  const now = new Date(clock.now())
  return {
    deviceKey: renderSerial(format, { slug: home.slug, now, sequence }),
    giveBack: () => {
      if (isNumbered) serials.giveBack(workspaceId, templateId, sequence)
    },
  }
}

/** @throws Failure device_key_taken, hardware_id_taken */
async function insertOnce(trx: Db, device: StaffDevice): Promise<store.DeviceRow | 'key_taken'> {
  for (;;) {
    const { workspaceId, deviceId, deviceKey, hardwareId } = device
    const made = await registerByStaff(trx, [device])
    if (made.size > 0)
      return (await store.findDevice.first(trx, { workspaceId, id: deviceId })) as store.DeviceRow
    const taken = await store.findConflict.one(trx, { workspaceId, deviceKey, hardwareId })
    if (taken.hardware_id) throw new Failure('hardware_id_taken')
    if (taken.device_key) return 'key_taken'
    // Its owner was deleted in between.
  }
}

type DeviceDraft = Pick<
  StaffDevice,
  'workspaceId' | 'templateId' | 'hardwareId' | 'tags' | 'customFields' | 'config'
>

/** Inserts with the given key, or with the first free serial. */
async function insertDevice(
  context: CreationContext,
  trx: Db,
  input: CreateDevice,
  draft: DeviceDraft,
  home: store.Home,
  generated: GeneratedSecrets,
): Promise<store.DeviceRow> {
  const { customFields, config, ...fields } = draft
  const named = (deviceKey: string): StaffDevice => {
    const all = { ...fields, deviceKey, name: input.name ?? deviceKey }
    return { ...newDevice(originOf(context), all, generated), customFields, config }
  }
  if (input.device_key !== undefined) {
    const row = await insertOnce(trx, named(input.device_key))
    if (row === 'key_taken') throw new Failure('device_key_taken')
    return row
  }
  for (let tries = 1; tries <= SERIAL_TRIES; tries += 1) {
    const serial = await drawSerial(context, draft.templateId as string, home)
    try {
      const row = await insertOnce(trx, named(serial.deviceKey))
      if (row !== 'key_taken') return row
    } catch (error) {
      serial.giveBack()
      throw error
    }
  }
  throw new Failure('device_key_taken', {
    detail: `The serial format of the template generated ${SERIAL_TRIES} keys that other devices have.`,
  })
}

/** Null removes a member, as in a patch. */
const withoutNulls = (values: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null))

export async function createDevice(
  context: CreationContext,
  input: CreateDevice,
): Promise<CreatedDevice> {
  const { db, keyring, workspaceId } = context
  const { device_key, template_id, tags = {}, config = {} } = input
  const custom_fields = withoutNulls(input.custom_fields ?? {})
  if (device_key === undefined && template_id === undefined) {
    throw invalid('/device_key', 'is missing: a device wants device_key or template_id')
  }
  if (device_key !== undefined && isClientId(device_key)) throw reservedKey()
  requireSmall('/custom_fields', custom_fields)
  requireSmallConfig('/config', config)
  const templateId = template_id === undefined ? null : (parseId('tpl', template_id) as string)
  const generated = generateDeviceSecrets(keyring)
  const draft = {
    workspaceId,
    templateId,
    hardwareId: input.hardware_id ?? null,
    tags,
    customFields: custom_fields,
    config,
  }
  const creation = db.transaction(async (trx) => {
    const home = await store.lockHome.one(trx, { workspaceId, templateId })
    if (templateId !== null && home.serial_format === null) throw noSuchTemplate()
    const definitions = await definitionsFor(trx, workspaceId, [custom_fields])
    checkFieldValues(definitions, custom_fields, custom_fields)
    const row = await insertDevice(context, trx, input, draft, home, generated)
    const view = viewOf(row)
    const issued = { principalId: view.id, password: generated.mqttPassword }
    await context.passwordSync.issued(trx, workspaceId, [issued])
    const device = { id: row.id, deviceKey: row.device_key, slug: home.slug }
    const endpoint = await context.mqttEndpointOf(workspaceId)
    return { ...view, ...credentialsOf(endpoint, device, generated) }
  })
  return creation.catch((error: unknown) => {
    throw isForeignKeyViolation(error) ? noSuchTemplate() : error
  })
}
