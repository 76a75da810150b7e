/** Finds things of a workspace by a part of their names, or by their ids. */
import { callerHolds } from '../../../platform/access/holding.ts'
import type { Permission } from '../../../platform/access/permissions.ts'
import type { StaffCaller } from '../../../platform/access/principal.ts'
import type { Context } from '../../../context.ts'
import { is } from '../../../platform/lib/filter-node.ts'
import { formatId, type IdPrefix, parseId } from '../../../platform/lib/ids.ts'
import { pageOfDeviceIds } from '../../devices/filters/device-filter-page.ts'
import { type Found, type FoundKind, foundKinds, type SearchResult } from './schema.ts'
import { findByText, readDevices } from './store.ts'

/** Shown of each kind. */
const SHOWN = 5
/** Examined of each kind but devices. */
const EXAMINED = 1_000

const kindFacts: Readonly<Record<FoundKind, readonly [IdPrefix, Permission]>> = {
  device: ['dev', 'devices.read'],
  device_template: ['tpl', 'templates.read'],
  device_group: ['grp', 'devices.read'],
  api_key: ['key', 'api_keys.read'],
  person: ['usr', 'members.read'],
  mqtt_principal: ['mqp', 'mqtt.read'],
  job: ['job', 'devices.read'],
  domain: ['dom', 'domains.read'],
  webhook: ['whk', 'events.read'],
}

type SearchContext = Pick<Context<StaffCaller>, 'db' | 'workspaceId'>

/** The UUIDs of devices; devices that the text names in full come first. */
async function findDeviceIds(
  { db, workspaceId }: SearchContext,
  text: string,
  id: string | undefined,
): Promise<string[]> {
  if (id !== undefined) return [id]
  const parts = [
    is('device_key', 'prefix', text),
    is('device_key', 'suffix', text),
    is('name', 'prefix', text),
    is('hardware_id', 'prefix', text),
  ]
  const page = { after: undefined, limit: SHOWN }
  return (await pageOfDeviceIds(db, workspaceId, { kind: 'or', parts }, page)).ids
}

async function findDevices(
  context: SearchContext,
  text: string,
  id: string | undefined,
): Promise<Found[]> {
  const { db, workspaceId } = context
  const ids = await findDeviceIds(context, text, id)
  const rows = await readDevices.rows(db, { workspaceId, ids })
  return ids.flatMap((each) => {
    const row = rows.find((one) => one.id === each)
    if (row === undefined) return []
    const { device_key, name, hardware_id, status } = row
    const detail = [name === device_key ? '' : name, hardware_id ?? ''].filter(Boolean).join(' · ')
    return [
      { kind: 'device' as const, id: formatId('dev', each), label: device_key, detail, status },
    ]
  })
}

export async function searchWorkspace(
  context: Context<StaffCaller>,
  q: string,
): Promise<SearchResult> {
  const { db, caller, workspaceId } = context
  const text = q.trim()
  const isReadable = (kind: FoundKind): boolean =>
    callerHolds(caller, workspaceId, kindFacts[kind][1])
  const left_out = foundKinds.filter((kind) => !isReadable(kind))
  if (text === '') return { items: [], left_out }
  const named = foundKinds.find((kind) => parseId(kindFacts[kind][0], text) !== undefined)
  const id = named && parseId(kindFacts[named][0], text)
  const asked = named === undefined ? foundKinds : [named]
  const kinds = asked.filter(isReadable)
  const devices = kinds.includes('device') ? await findDevices(context, text, id) : []
  const rows = await findByText.rows(db, {
    workspaceId,
    kinds,
    id: id ?? null,
    text: text.toLowerCase(),
    examined: EXAMINED,
    limit: SHOWN,
  })
  const others = rows.map(({ kind, id: uuid, label, detail, status }) => ({
    kind,
    id: formatId(kindFacts[kind][0], uuid),
    label,
    detail: detail === label ? '' : detail,
    status,
  }))
  return { items: [...devices, ...others], left_out }
}
