/** Job actions that change labels or the template of devices. */
import { isForeignKeyViolation } from '../../../platform/database/connect.ts'
import { Failure } from '../../../platform/errors/errors.ts'
import { changedFields } from '../../../platform/record/record.ts'
import { formatId, uuidOf } from '../../../platform/lib/ids.ts'
import { mergeConfigs } from '../../devices/config/config-change.ts'
import { devicesLosingAccess } from '../../mqtt/rule-narrowing/narrowing.ts'
import {
  type Action,
  type DeviceRow,
  idsOf,
  type ActionContext,
  refused,
  UNCHANGED,
} from './action.ts'
import * as store from './action-store.ts'
import { MAX_TAGS } from '../../common/tag-shapes.ts'

type Tags = Record<string, string>

function tagsAfter(
  { tags }: DeviceRow,
  { parameters: { set = {}, remove = [] } }: ActionContext,
): Tags {
  const merged = Object.entries({ ...tags, ...set })
  return Object.fromEntries(merged.filter(([key]) => !remove.includes(key)))
}

const isSame = (one: Tags, other: Tags): boolean =>
  Object.keys(one).length === Object.keys(other).length &&
  Object.entries(one).every(([key, value]) => other[key] === value)

export const tag: Action = {
  permission: 'devices.write',
  takes: ['set', 'remove'],
  oneOf: ['set', 'remove'],
  evaluate(device, context) {
    const after = tagsAfter(device, context)
    if (isSame(device.tags, after)) return UNCHANGED
    if (Object.keys(after).length <= MAX_TAGS) return undefined
    return refused('limit_reached', `The device would have more than ${MAX_TAGS} tags.`)
  },
  async change(_services, trx, { workspaceId, parameters: { set = {}, remove = [] } }, devices) {
    await store.changeTags.run(trx, {
      workspaceId,
      ids: idsOf(devices),
      set: JSON.stringify(set),
      removed: remove,
    })
  },
  notified: {
    as: 'device.updated',
    data: () => ({ changed: ['tags'] }),
    detail: (device, context) =>
      changedFields({ tags: device.tags }, { tags: tagsAfter(device, context) }),
  },
}

const wantedTemplate = ({ parameters: { template_id } }: ActionContext): string | null =>
  template_id ? uuidOf('tpl', template_id) : null

const shown = (id: string | null): string | null => (id === null ? null : formatId('tpl', id))

export const moveTemplate: Action = {
  permission: 'devices.write',
  takes: ['template_id'],
  oneOf: ['template_id'],
  evaluate: ({ template_id }, context) =>
    template_id === wantedTemplate(context) ? UNCHANGED : undefined,
  async change(_services, trx, context, devices) {
    try {
      await store.moveToTemplate.run(trx, {
        workspaceId: context.workspaceId,
        ids: idsOf(devices),
        templateId: wantedTemplate(context),
      })
    } catch (error) {
      // Deleted since the job was created.
      throw isForeignKeyViolation(error) ? new Failure('template_not_found') : error
    }
  },
  notified: {
    as: 'device.updated',
    data: () => ({ changed: ['template_id'] }),
    detail: ({ template_id }, context) => ({
      before: { template_id: shown(template_id) },
      after: { template_id: shown(wantedTemplate(context)) },
    }),
  },
  announces: true,
  losing(trx, context, devices) {
    const to = wantedTemplate(context)
    const moves = devices.map((device) => ({ ...device, from: device.template_id, to }))
    return devicesLosingAccess(trx, context.workspaceId, moves)
  },
}

/** Each changed device gets a new configuration version, which it fetches itself. */
export const publishConfig: Action = {
  permission: 'devices.write',
  takes: ['config'],
  oneOf: ['config'],
  async change(_services, trx, { workspaceId, origin, parameters: { config = {} } }, devices) {
    const order = { workspaceId, deviceIds: idsOf(devices), patch: config }
    const changed = await mergeConfigs(trx, origin, order)
    const same = changed.filter(({ version }) => version === undefined)
    return new Map(same.map(({ deviceId }) => [deviceId, UNCHANGED]))
  },
}
