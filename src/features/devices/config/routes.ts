/** Operations on the configuration of a device. */
import { operation } from '../../../context.ts'
import { respond, idParam } from '../../../platform/http/operation.ts'
import { Page } from '../../common/paging.ts'
import {
  getConfig,
  listConfigVersions,
  patchConfig,
  replaceConfig,
  rollBackConfig,
} from './config.ts'
import {
  ConfigVersion,
  ConfigView,
  ListVersions,
  PatchConfig,
  ReplaceConfig,
  RollBackConfig,
} from './schema.ts'

const access = ['user', 'platform-key'] as const
const tag = 'Devices'
const path = '/workspaces/:id/devices/:device_id/config'
const params = {
  id: idParam('ws', 'workspace_not_found'),
  device_id: idParam('dev', 'device_not_found'),
}
const returns = { 200: ConfigView }

export const deviceConfigOperations = [
  operation({
    id: 'getDeviceConfig',
    method: 'GET',
    path,
    tag,
    summary: "Get a device's configuration",
    description:
      "The device's own configuration, and the effective configuration: the default of the " +
      "template, overridden by the device's own.",
    access,
    permission: 'devices.read',
    params,
    returns,
    fails: ['device_not_found'],
    async run(context, { params: { device_id } }) {
      const { view, revision } = await getConfig(context, device_id)
      return respond(200, view, { revision })
    },
  }),
  operation({
    id: 'replaceDeviceConfig',
    method: 'PUT',
    path,
    tag,
    summary: "Replace a device's configuration",
    description: 'Creates a new version if something changes.',
    access,
    permission: 'devices.write',
    params,
    body: ReplaceConfig,
    returns,
    fails: ['device_not_found', 'precondition_failed'],
    example: { config: { interval_s: 60, unit: 'celsius' } },
    async run(context, { params: { device_id }, body }) {
      const { view, revision } = await replaceConfig(context, device_id, body.config)
      return respond(200, view, { revision })
    },
  }),
  operation({
    id: 'patchDeviceConfig',
    method: 'PATCH',
    path,
    tag,
    summary: "Change a device's configuration",
    description:
      'Merges into its own configuration (RFC 7396). Creates a new version if something changes.',
    access,
    permission: 'devices.write',
    params,
    body: PatchConfig,
    returns,
    fails: ['device_not_found', 'precondition_failed'],
    example: { config: { interval_s: 30, unit: null } },
    async run(context, { params: { device_id }, body }) {
      const { view, revision } = await patchConfig(context, device_id, body.config)
      return respond(200, view, { revision })
    },
  }),
  operation({
    id: 'listDeviceConfigVersions',
    method: 'GET',
    path: `${path}/history`,
    tag,
    summary: "List the versions of a device's configuration",
    description: 'Newest first, with author. The last 100 versions are kept.',
    access,
    permission: 'devices.read',
    params,
    query: ListVersions,
    returns: { 200: Page(ConfigVersion) },
    fails: ['device_not_found', 'invalid_cursor'],
    run: async (context, { params: { device_id }, query }) =>
      respond(200, await listConfigVersions(context, device_id, query)),
  }),
  operation({
    id: 'rollBackDeviceConfig',
    method: 'POST',
    path: `${path}/rollback`,
    tag,
    summary: "Roll back a device's configuration",
    description: 'Creates a new version with the contents of an earlier one.',
    access,
    permission: 'devices.write',
    params,
    body: RollBackConfig,
    returns,
    fails: ['device_not_found', 'precondition_failed'],
    example: { version: 3 },
    async run(context, { params: { device_id }, body }) {
      const { view, revision } = await rollBackConfig(context, device_id, body.version)
      return respond(200, view, { revision })
    },
  }),
]
