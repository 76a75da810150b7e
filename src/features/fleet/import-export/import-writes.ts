/** The writes of an import: one statement for all rows of a kind. */
import { originOf } from '../../../context.ts'
import { canonicalJson } from '../../../platform/lib/canonical-json.ts'
import { columnsOf } from '../../../platform/database/sql.ts'
import { deviceChange, recordAll } from '../../../platform/record/record.ts'
import { formatId } from '../../../platform/lib/ids.ts'
import { keepConfigVersions } from '../../devices/config/config-change.ts'
import { generateDeviceSecrets } from '../../mqtt/device-secrets/device-secret.ts'
import { drawSerial, serialTemplateOf } from '../../devices/templates/serial-drawing.ts'
import {
  newDevice,
  registerByStaff,
  type StaffDevice,
} from '../../devices/registry/device-registration.ts'
import { credentialsOf } from '../../devices/registry/device-view.ts'
import { devicesLosingAccess, type TemplateMove } from '../../mqtt/rule-narrowing/narrowing.ts'
import { hasExternalBrokers, openReceipt } from '../../mqtt/revocation/receipt-issue.ts'
import * as store from './import-store.ts'
import type { Draft, Planned, Work } from './import-work.ts'
import type { ImportResult } from './schema.ts'

/** The key in the row, or a serial number of its template. */
async function keyOf(work: Work, { draft, template }: Planned<'create'>): Promise<string> {
  const { device_key } = draft.value
  if (device_key) return device_key
  const serialTemplate = serialTemplateOf(template as store.TemplateRow)
  const { workspaceId } = work.context
  const serial = await drawSerial(work.context, workspaceId, serialTemplate, work.slug)
  work.undo.push(serial.giveBack)
  return serial.deviceKey
}

interface Drawn {
  draft: Draft
  device: StaffDevice
  generated: ReturnType<typeof generateDeviceSecrets> | undefined
}

async function drawUp(work: Work, planned: Planned<'create'>): Promise<Drawn> {
  const { context, settings } = work
  const { draft, fields } = planned
  const deviceKey = await keyOf(work, planned)
  const generated = settings.wantsCredentials ? generateDeviceSecrets(context.keyring) : undefined
  const { template_id: templateId, hardware_id: hardwareId, tags } = fields
  const { workspaceId } = context
  const name = fields.name ?? deviceKey
  const named = { workspaceId, deviceKey, name, templateId, hardwareId, tags }
  const device = {
    ...newDevice(originOf(context), named, generated),
    customFields: fields.custom_fields,
    config: fields.config,
  }
  return { draft, device, generated }
}

/** Passes the new passwords to brokers that store them. */
async function syncPasswords(
  { context, trx }: Work,
  given: readonly { id: string; generated: Drawn['generated'] }[],
): Promise<void> {
  const passwords = given.flatMap(({ id, generated }) =>
    generated ? [{ principalId: formatId('dev', id), password: generated.mqttPassword }] : [],
  )
  await context.passwordSync.issued(trx, context.workspaceId, passwords)
}

/** @returns drafts whose device was created concurrently by someone else */
export async function create(work: Work, planned: readonly Planned<'create'>[]): Promise<Draft[]> {
  const { context, settings, trx, slug, results } = work
  if (settings.isDryRun) {
    for (const { draft } of planned) {
      const { device_key } = draft.value
      results.set(draft, { line: draft.line, status: 'created', ...(device_key && { device_key }) })
    }
    return []
  }
  const rows: Drawn[] = []
  for (const each of planned) rows.push(await drawUp(work, each))
  // In one order for all imports, or two could wait for each other.
  const devices = rows.map(({ device }) => device)
  devices.sort((a, b) => (a.deviceKey < b.deviceKey ? -1 : 1))
  const made = await registerByStaff(trx, devices)
  const isMade = ({ device }: Drawn): boolean => made.has(device.id)
  const endpoint = await context.mqttEndpointOf(context.workspaceId)
  const given = rows.filter(isMade)
  await syncPasswords(
    work,
    given.map(({ device, generated }) => ({ id: device.id, generated })),
  )
  for (const { draft, device, generated } of given) {
    const { id, deviceKey, resourceId } = device
    results.set(draft, {
      line: draft.line,
      status: 'created',
      device_id: resourceId,
      device_key: deviceKey,
      ...(generated && credentialsOf(endpoint, { id, deviceKey, slug }, generated)),
    })
  }
  return rows.filter((row) => !isMade(row)).map(({ draft }) => draft)
}

export async function update(work: Work, planned: readonly Planned<'update'>[]): Promise<void> {
  const { context, settings, trx } = work
  if (settings.isDryRun || planned.length === 0) return
  const { workspaceId } = context
  const origin = originOf(context)
  const rows = planned.map(({ after }) => ({
    ...after,
    tags: JSON.stringify(after.tags),
    custom_fields: JSON.stringify(after.custom_fields),
    config: JSON.stringify(after.config),
  }))
  await store.updateDevices.run(trx, { ...columnsOf(rows), workspaceId })
  const configured = planned.filter(
    ({ before, after }) => canonicalJson(before.config) !== canonicalJson(after.config),
  )
  const before = configured.map((each) => each.before)
  await keepConfigVersions(trx, origin, workspaceId, before)
  const recorded = planned.map(({ after: { id, device_key }, changes }) => {
    const data = { device_key, changed: Object.keys(changes.after) }
    return deviceChange('device.updated', workspaceId, id, data, changes)
  })
  await recordAll(trx, origin, recorded)
  const moves = planned.flatMap(({ before: { template_id: from }, after }) => {
    const { id, device_key, template_id: to } = after
    return from === to ? [] : [{ id, device_key, from, to }]
  })
  await context.feed.announceAll(
    trx,
    'device',
    moves.map(({ id }) => id),
  )
  await revokeMoved(work, moves)
}

/** External brokers would let a device continue with its former template's rules. */
async function revokeMoved({ context, trx }: Work, moves: readonly TemplateMove[]): Promise<void> {
  if (!hasExternalBrokers(context)) return
  const { workspaceId } = context
  const devices = await devicesLosingAccess(trx, workspaceId, moves)
  if (devices.length === 0) return
  const revocation = { workspaceId, reason: 'device.updated', subject: null } as const
  await openReceipt(context, trx, { ...revocation, narrowed: { devices } })
}

/** Creates secrets for devices that have none, which locks nobody out. */
export async function giveSecrets(
  work: Work,
  found: readonly [Draft, store.KnownDevice][],
): Promise<void> {
  const { context, settings, trx, slug, results } = work
  if (settings.isDryRun || !settings.wantsCredentials || found.length === 0) return
  const { workspaceId } = context
  const rows = found.map(([draft, device]) => {
    const generated = generateDeviceSecrets(context.keyring)
    const { mqttHash, httpHash } = generated
    return { id: device.id, mqttHash, httpHash, generated, deviceKey: device.device_key, draft }
  })
  const given = await store.giveSecrets.rows(trx, { ...columnsOf(rows), workspaceId })
  const ids = new Set(given.map(({ id }) => id))
  const served = rows.filter(({ id }) => ids.has(id))
  await syncPasswords(work, served)
  await context.feed.announceAll(trx, 'device', [...ids])
  const recorded = served.map(({ id, deviceKey: device_key }) =>
    deviceChange('device.credentials_reset', workspaceId, id, { device_key }),
  )
  await recordAll(trx, originOf(context), recorded)
  const endpoint = await context.mqttEndpointOf(workspaceId)
  for (const { id, deviceKey, draft, generated } of served) {
    const credentials = credentialsOf(endpoint, { id, deviceKey, slug }, generated)
    results.set(draft, { ...(results.get(draft) as ImportResult), ...credentials })
  }
}
