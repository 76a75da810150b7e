/**
 * The timeline of a device: the records of all slices about it, as one list in the order of time.
 */
import { callerHolds } from '../../../platform/access/holding.ts'
import type { Permission } from '../../../platform/access/permissions.ts'
import type { StaffCaller } from '../../../platform/access/principal.ts'
import type { Context } from '../../../context.ts'
import { found, invalid } from '../../../platform/errors/errors.ts'
import { formatId, NIL_UUID, MAX_UUID } from '../../../platform/lib/ids.ts'
import type { AuditAction } from '../../../platform/record/event.ts'
import { cursorOf, readPage } from '../../common/paging.ts'
import { timestamp, timestampOrNull } from '../../common/shapes.ts'
import { attemptView } from '../../mqtt/connection-log/connection-log.ts'
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

/** The entry without its time, in the form in which its slice shows it. */
function viewOf(
  id: string,
  { connection, command, note, config, report, act }: schema.EntryRow,
): Omit<schema.TimelineEntry, 'at'> {
  if (connection) {
    const view = attemptView(connection)
    return { id: formatId('con', id), kind: 'connection', connection: view }
  }
  if (command) {
    const view = {
      ...command,
      id: formatId('cmd', id),
      ended_at: timestampOrNull(command.ended_at),
    }
    return { id: view.id, kind: 'command', command: view }
  }
  if (note) {
    const view = { ...note, id: formatId('note', id) }
    return { id: view.id, kind: 'note', note: view }
  }
  if (config) return { id: String(config.version), kind: 'config', config }
  if (report) return { id: formatId('evt', id), kind: 'config_report', report }
  const kind = act && kindOf.get(act.action)
  if (act === undefined || kind === undefined)
    throw new Error('the timeline has an entry of no kind')
  return { id: formatId('aud', id), kind, act }
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
  const rows = read.flatMap(({ id, at, entry }) =>
    id === null || at === null || entry === null ? [] : [{ id, at, entry }],
  )
  const shown = rows.slice(0, limit)
  const edge = read[0]?.edge ?? NIL_UUID
  const last = rows.length > limit ? shown.at(-1)?.id : edge
  return {
    items: shown.map(({ id, at, entry }) => ({ ...viewOf(id, entry), at: timestamp(at) })),
    next_cursor: last === undefined || last === NIL_UUID ? null : cursorOf(context, list, last),
    left_out: asked.filter((kind) => !kinds.includes(kind)),
  }
}
