/** Devices created by staff and backends; factories register theirs by provisioning. */
import { type Context, originOf } from '../../../context.ts'
import { type Db, isForeignKeyViolation } from '../../../platform/database/connect.ts'
import { Failure, invalid } from '../../../platform/errors/errors.ts'
import { uuidOf } from '../../../platform/lib/ids.ts'
import { checkFieldValues, definitionsFor } from '../custom-fields/custom-field-values.ts'
import { isClientId, reservedKey } from '../../common/device-key.ts'
import { generateDeviceSecrets } from '../../mqtt/device-secrets/device-secret.ts'
import { drawSerial, serialTemplateOf } from '../templates/serial-drawing.ts'
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

/**
 * @returns undefined if another device has the key
 * @throws Failure hardware_id_taken
 */
async function insertOnce(trx: Db, device: StaffDevice): Promise<store.DeviceRow | undefined> {
  for (;;) {
    const { workspaceId, id, deviceKey, hardwareId } = device
    const made = await registerByStaff(trx, [device])
    if (made.size > 0) return store.findDevice.one(trx, { workspaceId, id })
    const taken = await store.findConflict.one(trx, { workspaceId, deviceKey, hardwareId })
    if (taken.hardware_id) throw new Failure('hardware_id_taken')
    if (taken.device_key) return undefined
    // Its owner was deleted in between.
  }
}

/** Inserts with the first serial that is free. */
async function insertWithSerial(
  context: CreationContext,
  template: { id: string; serial_format: string },
  slug: string,
  insert: (deviceKey: string) => Promise<store.DeviceRow | undefined>,
): Promise<store.DeviceRow> {
  const drawn = serialTemplateOf(template)
  for (let tries = 1; tries <= SERIAL_TRIES; tries += 1) {
    const serial = await drawSerial(context, context.workspaceId, drawn, slug)
    try {
      const row = await insert(serial.deviceKey)
      if (row !== undefined) return row
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
  const { device_key, template_id, hardware_id: hardwareId = null, tags = {}, config = {} } = input
  const customFields = withoutNulls(input.custom_fields ?? {})
  if (device_key === undefined && template_id === undefined) {
    throw invalid('/device_key', 'is missing: a device wants device_key or template_id')
  }
  if (device_key !== undefined && isClientId(device_key)) throw reservedKey()
  requireSmall('/custom_fields', customFields)
  requireSmallConfig('/config', config)
  const templateId = template_id === undefined ? null : uuidOf('tpl', template_id)
  const generated = generateDeviceSecrets(keyring)
  const creation = db.transaction(async (trx) => {
    const { slug, serial_format } = await store.lockHome.one(trx, { workspaceId, templateId })
    if (templateId !== null && serial_format === null) throw noSuchTemplate()
    const definitions = await definitionsFor(trx, workspaceId, [customFields])
    checkFieldValues(definitions, customFields, customFields)
    const insert = (deviceKey: string) => {
      const name = input.name ?? deviceKey
      const fields = { workspaceId, deviceKey, name, templateId, hardwareId, tags }
      const device = newDevice(originOf(context), fields, generated)
      return insertOnce(trx, { ...device, customFields, config })
    }
    const template = { id: templateId as string, serial_format: serial_format as string }
    const row =
      device_key === undefined
        ? await insertWithSerial(context, template, slug, insert)
        : await insert(device_key)
    if (row === undefined) throw new Failure('device_key_taken')
    const view = viewOf(row)
    const issued = { principalId: view.id, password: generated.mqttPassword }
    await context.passwordSync.issued(trx, workspaceId, [issued])
    const device = { id: row.id, deviceKey: row.device_key, slug }
    const endpoint = await context.mqttEndpointOf(workspaceId)
    return { ...view, ...credentialsOf(endpoint, device, generated) }
  })
  return creation.catch((error: unknown) => {
    throw isForeignKeyViolation(error) ? noSuchTemplate() : error
  })
}
