/** The timeline of a device: what the slices keep about it, as one list in the order of time. */
import { callerHolds } from '../../../platform/access/holding.ts'
import type { Permission } from '../../../platform/access/permissions.ts'
import type { StaffCaller } from '../../../platform/access/principal.ts'
import type { Context } from '../../../context.ts'
import { found, invalid } from '../../../platform/errors/errors.ts'
import { formatId, NIL_UUID, MAX_UUID } from '../../../platform/lib/ids.ts'
import type { AuditAction } from '../../../platform/record/event.ts'
import { cursorOf, readPage } from '../../common/paging.ts'
import { timestamp, timestampOrNull } from '../../common/shapes.ts'
import { type AttemptRow, attemptView } from '../../mqtt/connection-log/connection-log.ts'
import * as schema from './schema.ts'
import { deviceExists, readEntries } from './store.ts'

/** Entries of the audit log that one call examines. */
const SCAN = 5_000

/** Kinds that are entries of the audit log, and their actions. */
const actionsOf: Readonly<Partial<Record<schema.TimelineKind, readonly AuditAction[]>>> = {
  status: [
    'device.registered',
    'device.activated',
    'device.approved',
    'device.rejected',
    'device.suspended',
    'device.resumed',
    'device.decommissioned',
  ],
  credentials: [
    'device.rotated',
    'device.credentials_reset',
    'device.rotation_asked',
    'device.rotation_allowed',
  ],
  claim: ['device.claimed', 'device.released'],
  change: ['device.updated', 'device.acl_changed', 'device.sessions_cut'],
}

const kindOf = new Map<string, schema.TimelineKind>(
  schema.timelineKinds.flatMap((kind) =>
    (actionsOf[kind] ?? []).map((action) => [action, kind] as const),
  ),
)

const permissionOf = (kind: schema.TimelineKind): Permission => {
  if (kind === 'config_report') return 'events.read'
  return actionsOf[kind] === undefined ? 'devices.read' : 'audit.read'
}

/** @throws Failure invalid_request */
function readKinds(text: string | undefined): readonly schema.TimelineKind[] {
  if (text === undefined) return schema.timelineKinds
  const names = new Set(text.split(','))
  const kinds = schema.timelineKinds.filter((kind) => names.delete(kind))
  const [unknown] = names
  if (unknown !== undefined) {
    throw invalid('/query/kinds', `names no kind: ${unknown.slice(0, 64)}`)
  }
  return kinds
}

type Entry = Record<string, unknown>
type PartOf = Omit<schema.TimelineEntry, 'kind' | 'at'>

/** The row as its slice shows it. */
const viewers: Readonly<Record<string, (id: string, entry: Entry) => PartOf>> = {
  connection: (id, entry) => ({
    id: formatId('con', id),
    connection: attemptView(entry as unknown as AttemptRow),
  }),
  command: (id, { ended_at, ...entry }) => ({
    id: formatId('cmd', id),
    command: {
      id: formatId('cmd', id),
      ended_at: timestampOrNull(ended_at as number | null),
      ...entry,
    } as schema.TimelineEntry['command'],
  }),
  note: (id, entry) => ({
    id: formatId('note', id),
    note: { id: formatId('note', id), ...entry } as schema.TimelineEntry['note'],
  }),
  config: (_id, entry) => ({
    id: String(entry.version),
    config: entry as schema.TimelineEntry['config'],
  }),
  config_report: (id, { version = null, status, error = null }) => ({
    id: formatId('evt', id),
    report: { version, status, error } as schema.TimelineEntry['report'],
  }),
}

function viewOf(row: { id: string; part: string; at: number; entry: Entry }): schema.TimelineEntry {
  const { id, part, at, entry } = row
  const kind = kindOf.get(part)
  if (kind === undefined) {
    const view = viewers[part]?.(id, entry)
    if (view === undefined) throw new Error(`the timeline has no part ${part}`)
    return { kind: part as schema.TimelineKind, at: timestamp(at), ...view }
  }
  const act = { action: part, ...entry } as schema.TimelineEntry['act']
  return { id: formatId('aud', id), kind, at: timestamp(at), act }
}

/** Newest first. */
export async function readTimeline(
  context: Context<StaffCaller>,
  deviceId: string,
  query: schema.ReadTimeline,
): Promise<schema.Timeline> {
  const { db, caller, workspaceId } = context
  const asked = readKinds(query.kinds)
  const kinds = asked.filter((kind) => callerHolds(caller, workspaceId, permissionOf(kind)))
  const list = `timeline ${workspaceId} ${deviceId} ${kinds.join()}`
  const { limit, after } = readPage(context, query, list)
  found(await deviceExists.first(db, { workspaceId, deviceId }), 'device_not_found')
  const read = await readEntries.rows(db, {
    workspaceId,
    deviceId,
    publicId: formatId('dev', deviceId),
    kinds,
    actions: kinds.flatMap((kind) => actionsOf[kind] ?? []),
    before: after ?? MAX_UUID,
    scan: SCAN,
    limit: limit + 1,
  })
  const rows = read.flatMap(({ id, part, at, entry }) =>
    id === null || part === null || at === null || entry === null ? [] : [{ id, part, at, entry }],
  )
  const shown = rows.slice(0, limit)
  const edge = read[0]?.edge ?? NIL_UUID
  const last = rows.length > limit ? shown.at(-1)?.id : edge
  return {
    items: shown.map(viewOf),
    next_cursor: last === undefined || last === NIL_UUID ? null : cursorOf(context, list, last),
    left_out: asked.filter((kind) => !kinds.includes(kind)),
  }
}
