/** The rules of devices: listed, read, changed and deleted by staff and backends. */
import { type Context, originOf } from '../../../context.ts'
import { isForeignKeyViolation, type PointReader } from '../../../platform/database/connect.ts'
import { type Failure, found, invalid } from '../../../platform/errors/errors.ts'
import { changedFields, deviceChange, record } from '../../../platform/record/record.ts'
import { formatId, parseId, uuidOf } from '../../../platform/lib/ids.ts'
import { mergeObjects } from '../../../platform/lib/merge-patch.ts'
import { checkFieldValues, definitionsFor } from '../custom-fields/custom-field-values.ts'
import { keepConfigVersions } from '../config/config-change.ts'
import { requireSmall, requireSmallConfig } from '../../common/json-object.ts'
import { allOf, type FilterNode, is } from '../../../platform/lib/filter-node.ts'
import { readDeviceFilter } from '../filters/device-filter.ts'
import { facetFields, findFacets } from '../filters/device-facets.ts'
import { countDevicesThat, pageOfDevices } from '../filters/device-filter-page.ts'
import type { PageQuery } from '../../common/paging.ts'
import { listFiltered } from '../../common/filtered-list.ts'
import { deleteAll } from './device-transition.ts'
import { revisedOf, viewOf } from './device-view.ts'
import * as schema from './schema.ts'
import { keepTemplateRules, devicesLosingAccess } from '../../mqtt/rule-narrowing/narrowing.ts'
import { issueReceipt } from '../../mqtt/revocation/receipt-issue.ts'
import { getDeviceGroup } from '../groups/device-group.ts'
import * as store from './store.ts'
import type { Paged, Revised } from '../../common/results.ts'
import { lockerOf } from '../../common/resource.ts'
import { MAX_TAGS } from '../../common/tag-shapes.ts'

/** Query parameters as filter nodes. A tag's key contains no colon, so the first one ends it. */
function nodesOf(query: schema.CountDevices): FilterNode[] {
  const { status, approval, template_id, tag, connected, claimed, q } = query
  const nodes: FilterNode[] = []
  if (status) nodes.push(is('status', '=', status))
  if (approval) nodes.push(is('approval', '=', approval))
  if (template_id) nodes.push(is('template_id', '=', parseId('tpl', template_id)))
  if (tag !== undefined) {
    const [key = ''] = tag.split(':', 1)
    const text = tag.slice(key.length + 1)
    nodes.push(is(`tags.${key}`, key === tag ? 'present' : '=', text))
  }
  if (connected !== undefined) nodes.push(is('connected', '=', String(connected)))
  if (claimed !== undefined) nodes.push(is('claimed', '=', String(claimed)))
  if (q !== undefined) {
    nodes.push({ kind: 'or', parts: ['device_key', 'name'].map((name) => is(name, 'prefix', q)) })
  }
  return nodes
}

/** The filter and the other parameters, all of which must hold. */
async function conditionsOf(context: Context, query: schema.CountDevices): Promise<FilterNode[]> {
  const named = await readDeviceFilter(context, context.workspaceId, query.filter, '/query/filter')
  return [...nodesOf(query), ...(named ? [named] : [])]
}

export async function countDevices(
  context: Context,
  query: schema.CountDevices,
): Promise<schema.DeviceCount> {
  const filter = allOf(await conditionsOf(context, query))
  const { count, isLowerBound } = await countDevicesThat(context.db, context.workspaceId, filter)
  return { value: count, is_lower_bound: isLowerBound }
}

/** @throws Failure invalid_request if the field has no facets */
export async function listDeviceFacets(
  { db, workspaceId }: Context,
  { field = 'tags', prefix = '', order, limit = schema.DEFAULT_FACETS }: schema.FacetQuery,
): Promise<schema.DeviceFacets> {
  const facets = await findFacets(db, workspaceId, field, prefix)
  if (facets === undefined) {
    throw invalid('/query/field', `must be one of ${facetFields.join(', ')}`)
  }
  const { values, isMore } = facets
  // Values with the same count stay in their order.
  const sorted =
    order === 'value'
      ? values
      : values.toSorted((one, other) => other.devices.value - one.devices.value)
  return {
    field,
    values: sorted.slice(0, limit),
    has_more: isMore || values.length > limit,
  }
}

const pageOf = pageOfDevices(store.findDevice)

/** In the filter's order; a page may have fewer items than `limit` and still not be the last. */
export async function listDevices(
  context: Context,
  query: schema.ListDevices,
): Promise<Paged<schema.DeviceView>> {
  const { limit, cursor } = query
  const also = await conditionsOf(context, query)
  return listFiltered(context, { limit, cursor }, { name: 'devices', also, pageOf, view: viewOf })
}

/** @param db a pipelined reader outside transactions, else the transaction */
export async function readDevice(
  db: PointReader,
  workspaceId: string,
  deviceId: string,
): Promise<Revised<schema.DeviceView>> {
  const row = found(
    await store.findDevice.first(db, { workspaceId, id: deviceId }),
    'device_not_found',
  )
  return revisedOf(row)
}

export const getDevice = (
  context: Context,
  deviceId: string,
): Promise<Revised<schema.DeviceView>> => readDevice(context.points, context.workspaceId, deviceId)

const lock = lockerOf(store.lockDevice, 'device_not_found')

export const noSuchTemplate = (): Failure =>
  invalid('/template_id', 'is not a template of this workspace')

function templateAfter(row: store.DeviceRow, { template_id }: schema.UpdateDevice): string | null {
  if (template_id === undefined) return row.template_id
  return template_id === null ? null : uuidOf('tpl', template_id)
}

/** The mutable members of the public view. */
const FIELDS = ['name', 'template_id', 'tags', 'custom_fields', 'config'] as const

/** The fields after a merge patch (RFC 7396). */
function patched(row: store.DeviceRow, input: schema.UpdateDevice): store.DeviceFields {
  const fields = {
    name: input.name ?? row.name,
    template_id: templateAfter(row, input),
    tags: mergeObjects(row.tags, input.tags ?? {}) as Record<string, string>,
    custom_fields: mergeObjects(row.custom_fields, input.custom_fields ?? {}),
    config: mergeObjects(row.config, input.config ?? {}),
  }
  if (Object.keys(fields.tags).length > MAX_TAGS) {
    throw invalid('/tags', `would be more than ${MAX_TAGS}`)
  }
  requireSmall('/custom_fields', fields.custom_fields)
  requireSmallConfig('/config', fields.config)
  return fields
}

export async function updateDevice(
  context: Context,
  deviceId: string,
  input: schema.UpdateDevice,
): Promise<Revised<schema.DeviceView>> {
  const { db, feed, workspaceId } = context
  const change = db.transaction(async (trx) => {
    if (input.template_id !== undefined) await keepTemplateRules(trx, workspaceId)
    const before = await lock(trx, context, deviceId)
    const fields = patched(before, input)
    const { custom_fields = {} } = input
    const definitions = await definitionsFor(trx, workspaceId, [custom_fields])
    checkFieldValues(definitions, custom_fields, fields.custom_fields)
    const row = await store.updateDevice(trx, workspaceId, deviceId, fields)
    const revised = revisedOf(row)
    // Its topic rules come from the template.
    if (row.template_id !== before.template_id) {
      await feed.announce(trx, 'device', deviceId)
      const move = { ...row, from: before.template_id, to: row.template_id }
      const loses = (await devicesLosingAccess(trx, workspaceId, [move])).length > 0
      if (loses) await issueReceipt(context, trx, 'device.updated', revised.view.id, {})
    }
    const changed = changedFields(viewOf(before), revised.view, FIELDS)
    if ('config' in changed.after) {
      await keepConfigVersions(trx, originOf(context), workspaceId, [before])
    }
    const data = { changed: Object.keys(changed.after) }
    const recorded = deviceChange('device.updated', workspaceId, deviceId, data, changed)
    await record(trx, originOf(context), recorded)
    return revised
  })
  return change.catch((error: unknown) => {
    throw isForeignKeyViolation(error) ? noSuchTemplate() : error
  })
}

/** Deletes the device with its secrets, presence and state; its claim is released first. */
export async function deleteDevice(context: Context, deviceId: string): Promise<void> {
  const { db, feed, workspaceId } = context
  await db.transaction(async (trx) => {
    const row = await lock(trx, context, deviceId)
    const device = { id: deviceId, is_claimed: row.claimed_at !== null }
    await deleteAll(context, trx, { workspaceId, origin: originOf(context) }, [device])
    await feed.announce(trx, 'device', deviceId)
    await issueReceipt(context, trx, 'device.deleted', formatId('dev', deviceId))
    const { device_key } = row
    const change = deviceChange('device.deleted', workspaceId, deviceId, { device_key })
    await record(trx, originOf(context), change)
  })
}

/** @throws Failure device_group_not_found */
export async function listGroupDevices(
  context: Context,
  groupId: string,
  page: PageQuery,
): Promise<Paged<schema.DeviceView>> {
  await getDeviceGroup(context, groupId)
  return listDevices(context, { ...page, filter: `group = ${formatId('grp', groupId)}` })
}
