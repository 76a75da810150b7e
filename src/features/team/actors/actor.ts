/**
 * The names behind ids of actors and of what they act on. Names are joined when they are read: the
 * rows of accounts and keys outlive a membership and a revocation, so the name stays after its
 * owner has left. Only the name of what was deleted is gone.
 */
import { callerHolds } from '../../../platform/access/holding.ts'
import type { Permission } from '../../../platform/access/permissions.ts'
import type { StaffCaller } from '../../../platform/access/principal.ts'
import type { Context } from '../../../context.ts'
import { invalid } from '../../../platform/errors/errors.ts'
import { type IdPrefix, parseId } from '../../../platform/lib/ids.ts'
import { type ActorList, MAX_ACTORS } from './schema.ts'
import { findNames } from './store.ts'

interface Kind {
  /** The name that remains of a deleted resource. */
  gone: string
  permission: Permission
}

const kinds: Readonly<Partial<Record<IdPrefix, Kind>>> = {
  usr: { gone: 'deleted account', permission: 'members.read' },
  key: { gone: 'deleted API key', permission: 'api_keys.read' },
  dev: { gone: 'deleted device', permission: 'devices.read' },
  moid: { gone: 'deleted phone', permission: 'devices.read' },
  mqm: { gone: 'ended MQTT login of a phone', permission: 'devices.read' },
  mqp: { gone: 'deleted MQTT principal', permission: 'mqtt.read' },
  tpl: { gone: 'deleted template', permission: 'templates.read' },
  job: { gone: 'deleted job', permission: 'devices.read' },
  grp: { gone: 'deleted group', permission: 'devices.read' },
  fld: { gone: 'deleted field', permission: 'devices.read' },
  dom: { gone: 'deleted domain', permission: 'domains.read' },
  whk: { gone: 'deleted webhook', permission: 'events.read' },
  inv: { gone: 'ended invitation', permission: 'invitations.read' },
}

const idShape = /^([a-z]+)_[0-7][0-9a-hjkmnp-tv-z]{25}$/

const isId = (text: string): boolean => idShape.test(text)

/** Without ids of things that have no names, or whose names the caller may not read. */
const readableIds = ({ caller, workspaceId }: Context<StaffCaller>, names: readonly string[]) =>
  names.flatMap((publicId) => {
    const prefix = idShape.exec(publicId)?.[1] as IdPrefix
    const kind = Object.hasOwn(kinds, prefix) ? kinds[prefix] : undefined
    const id = kind && parseId(prefix, publicId)
    if (kind === undefined || id === undefined) return []
    return callerHolds(caller, workspaceId, kind.permission) ? [{ id, publicId, prefix }] : []
  })

/** @throws Failure invalid_request */
export async function listActors(context: Context<StaffCaller>, text: string): Promise<ActorList> {
  const { db, workspaceId } = context
  const publicIds = text === '' ? [] : [...new Set(text.split(','))]
  if (publicIds.length > MAX_ACTORS) throw invalid('/query/ids', `has more than ${MAX_ACTORS} ids`)
  if (!publicIds.every(isId)) throw invalid('/query/ids', 'has something that is no id')
  const readable = readableIds(context, publicIds)
  if (readable.length === 0) return { items: [] }
  const rows = await findNames.rows(db, {
    workspaceId,
    ids: readable.map(({ id }) => id),
    publicIds: readable.map(({ publicId }) => publicId),
    prefixes: readable.map(({ prefix }) => prefix),
  })
  const found = new Map(rows.map((row) => [row.id, row]))
  const items = publicIds.flatMap((publicId) => found.get(publicId) ?? [])
  return {
    items: items.map(({ id, prefix, label, detail, is_active }) => ({
      id,
      label: label ?? kinds[prefix as IdPrefix]?.gone ?? id,
      detail,
      is_active,
      is_deleted: label === null,
    })),
  }
}
