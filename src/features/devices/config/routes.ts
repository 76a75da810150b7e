/** Operations on the configuration of a device. */
import { operationGroup } from '../../../context.ts'
import { Page } from '../../common/paging.ts'
import {
  getConfig,
  listConfigVersions,
  patchConfig,
  replaceConfig,
  rollBackConfig,
} from './config.ts'
import * as schema from './schema.ts'

const operation = operationGroup({ tag: 'Devices', access: ['user', 'platform-key'] })

const path = '/workspaces/:id/devices/:device_id/config'
const returns = { 200: schema.ConfigView }

export const deviceConfigOperations = [
  operation({
    id: 'getDeviceConfig',
    route: `GET ${path}`,
    summary: "Get a device's configuration",
    description:
      "The device's own configuration, and the effective configuration: the default of the " +
      "template, overridden by the device's own.",
    permission: 'devices.read',
    returns,
    fails: ['device_not_found'],
    run: (context, { params: { device_id } }) => getConfig(context, device_id),
  }),
  operation({
    id: 'replaceDeviceConfig',
    route: `PUT ${path}`,
    summary: "Replace a device's configuration",
    description: 'Creates a new version if something changes.',
    permission: 'devices.write',
    body: schema.ReplaceConfig,
    returns,
    fails: ['device_not_found', 'precondition_failed'],
    example: { config: { interval_s: 60, unit: 'celsius' } },
    run: (context, { params: { device_id }, body }) =>
      replaceConfig(context, device_id, body.config),
  }),
  operation({
    id: 'patchDeviceConfig',
    route: `PATCH ${path}`,
    summary: "Change a device's configuration",
    description:
      'Merges into its own configuration (RFC 7396). Creates a new version if something changes.',
    permission: 'devices.write',
    body: schema.PatchConfig,
    returns,
    fails: ['device_not_found', 'precondition_failed'],
    example: { config: { interval_s: 30, unit: null } },
    run: (context, { params: { device_id }, body }) => patchConfig(context, device_id, body.config),
  }),
  operation({
    id: 'listDeviceConfigVersions',
    route: `GET ${path}/history`,
    summary: "List the versions of a device's configuration",
    description: 'Newest first, with author. The last 100 versions are kept.',
    permission: 'devices.read',
    query: schema.ListVersions,
    returns: { 200: Page(schema.ConfigVersion) },
    fails: ['device_not_found'],
    run: (context, { params: { device_id }, query }) =>
      listConfigVersions(context, device_id, query),
  }),
  operation({
    id: 'rollBackDeviceConfig',
    route: `POST ${path}/rollback`,
    summary: "Roll back a device's configuration",
    description: 'Creates a new version with the contents of an earlier one.',
    permission: 'devices.write',
    body: schema.RollBackConfig,
    returns,
    fails: ['device_not_found', 'precondition_failed'],
    example: { version: 3 },
    run: (context, { params: { device_id }, body }) =>
      rollBackConfig(context, device_id, body.version),
  }),
]
