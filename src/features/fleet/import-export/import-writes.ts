/** The writes of an import: one statement for all rows of a kind. */
import { originOf } from '../../../context.ts'
import { canonicalJson } from '../../../platform/lib/canonical-json.ts'
import { formatId, newUuid } from '../../../platform/lib/ids.ts'
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

const recordsOf = (id: string, data: Record<string, unknown>): store.Records => {
  const resource_id = formatId('dev', id)
  const { audit_id, event_id } = { audit_id: newUuid(), event_id: newUuid() }
  return { audit_id, event_id, resource_id, data: { device_id: resource_id, ...data } }
}

const base64 = (hash: Buffer): string => hash.toString('base64')

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
  if (settings.isDryRun) return
  const rows = planned.map(({ before, after, changes }): store.ChangedDevice => {
    const { device_key, status: _status, ...fields } = after
    return {
      ...fields,
      ...recordsOf(after.id, { device_key, changed: Object.keys(changes.after) }),
      is_moved: before.template_id !== after.template_id,
      detail: changes,
    }
  })
  const { workspaceId } = context
  await store.updateDevices(trx, workspaceId, originOf(context), rows)
  const configured = planned.filter(
    ({ before, after }) => canonicalJson(before.config) !== canonicalJson(after.config),
  )
  const before = configured.map((each) => each.before)
  await keepConfigVersions(trx, originOf(context), workspaceId, before)
  const moved = rows.filter(({ is_moved }) => is_moved)
  for (const { id } of moved) context.feed.applyAfterCommit(trx, 'device', id)
  const moves = planned.map(({ before, after }) => ({
    id: after.id,
    device_key: after.device_key,
    from: before.template_id,
    to: after.template_id,
  }))
  await revokeMoved(
    work,
    moves.filter(({ from, to }) => from !== to),
  )
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
  if (settings.isDryRun || !settings.wantsCredentials) return
  const rows = found.map(([draft, device]) => {
    const { id, device_key } = device
    const generated = generateDeviceSecrets(context.keyring)
    const hashes = { mqtt_hash: base64(generated.mqttHash), http_hash: base64(generated.httpHash) }
    return { draft, device, generated, row: { id, ...hashes, ...recordsOf(id, { device_key }) } }
  })
  const origin = originOf(context)
  const sent = rows.map(({ row }) => row)
  const given = await store.giveFirstSecrets(trx, context.workspaceId, origin, sent)
  await syncPasswords(
    work,
    rows.flatMap(({ row: { id }, generated }) => (given.has(id) ? [{ id, generated }] : [])),
  )
  const endpoint = await context.mqttEndpointOf(context.workspaceId)
  for (const { draft, device, generated } of rows) {
    if (!given.has(device.id)) continue
    context.feed.applyAfterCommit(trx, 'device', device.id)
    const credentials = credentialsOf(
      endpoint,
      { id: device.id, deviceKey: device.device_key, slug },
      generated,
    )
    results.set(draft, { ...(results.get(draft) as ImportResult), ...credentials })
  }
}
