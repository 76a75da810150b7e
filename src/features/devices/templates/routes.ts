/** Operations on device templates. */
import Type from 'typebox'
import { operationGroup } from '../../../context.ts'
import { Page } from '../../common/paging.ts'
import { Id } from '../../common/shapes.ts'
import { updateDeviceTemplate } from './device-template-change.ts'
import { deleteDeviceTemplate } from './device-template-deletion.ts'
import { createDeviceTemplate, getDeviceTemplate, listDeviceTemplates } from './device-template.ts'
import * as schema from './schema.ts'

const operation = operationGroup({ tag: 'Device templates', access: ['user', 'platform-key'] })

export const deviceTemplateOperations = [
  operation({
    id: 'createDeviceTemplate',
    route: 'POST /workspaces/:id/device-templates',
    summary: 'Create a device template',
    description:
      'A template holds the settings that the devices of one model share: the format of their keys, their MQTT rules, configuration and firmware.',
    permission: 'templates.write',
    body: schema.CreateDeviceTemplate,
    returns: { 201: schema.DeviceTemplateView },
    fails: ['model_key_taken', 'limit_reached'],
    example: {
      model_key: 'thermostat-2',
      name: 'Thermostat 2',
      serial_format: 'TH2-%Y%M-%#f',
      capabilities: ['temperature', 'setpoint'],
      capability_definitions: [{ name: 'temperature', type: 'number', unit: '°C' }],
      default_config: { report_interval_s: 60 },
      firmware: {
        url: 'https://firmware.example.com/thermostat-2/1.4.0.bin',
        sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
        size_bytes: 524_288,
      },
    },
    created: { location: '/workspaces/{workspace_id}/device-templates/{id}', revision: 1 },
    run: (context, { body }) => createDeviceTemplate(context, body),
  }),
  operation({
    id: 'listDeviceTemplates',
    route: 'GET /workspaces/:id/device-templates',
    summary: 'List device templates',
    description: 'Newest first.',
    permission: 'templates.read',
    isPlanFree: true,
    query: schema.ListDeviceTemplates,
    returns: { 200: Page(schema.DeviceTemplateView) },
    run: (context, { query }) => listDeviceTemplates(context, query),
  }),
  operation({
    id: 'getDeviceTemplate',
    route: 'GET /workspaces/:id/device-templates/:template_id',
    summary: 'Get a device template',
    permission: 'templates.read',
    isPlanFree: true,
    returns: { 200: schema.DeviceTemplateView },
    fails: ['template_not_found'],
    run: (context, { params }) => getDeviceTemplate(context, params.template_id),
  }),
  operation({
    id: 'updateDeviceTemplate',
    route: 'PATCH /workspaces/:id/device-templates/:template_id',
    summary: 'Change a device template',
    description:
      'Members in the body replace their old values. `default_config` is merged, and null removes a member of it (RFC 7396). Changed topic rules apply to connected devices within a second. A changed serial format applies to later registrations. The `effect` in the response lists the topics that the devices of the template gain and lose. With `dry_run` nothing changes, and the `ETag` is the current one.',
    permission: 'templates.write',
    isPlanFree: true,
    query: schema.DryRun,
    body: schema.UpdateDeviceTemplate,
    returns: { 200: schema.ChangedDeviceTemplate },
    fails: ['template_not_found', 'precondition_failed'],
    example: { name: 'Thermostat 2 (EU)', default_config: { report_interval_s: 30 } },
    run(context, { params, query, body }) {
      const { template_id: id } = params
      const { dry_run: isDryRun = false } = query
      return updateDeviceTemplate(context, id, body, isDryRun)
    },
  }),
  operation({
    id: 'deleteDeviceTemplate',
    route: 'DELETE /workspaces/:id/device-templates/:template_id',
    summary: 'Delete a device template',
    description:
      'A template can be deleted only while no device uses it; the error contains the number of devices that do. With `move_to`, its devices (at most 10,000) are moved to another template in the same transaction. For more devices, use a bulk job.',
    permission: 'templates.write',
    bucket: 'safety',
    query: Type.Object({
      move_to: Type.Optional(Id('tpl', 'The template to which the devices are moved.')),
    }),
    returns: { 204: null },
    fails: ['template_not_found', 'template_in_use', 'precondition_failed'],
    run: (context, { params, query }) =>
      deleteDeviceTemplate(context, params.template_id, query.move_to),
  }),
]
