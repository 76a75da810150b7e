/** Operations of the factory, and rotation by the device itself. */
import Type from 'typebox'
import type { Services } from '../../../context.ts'
import { operationGroupOf } from '../../../platform/http/operation.ts'
import { respond } from '../../../platform/http/reply.ts'
import { rowOperationOf } from '../../../platform/http/row-operation.ts'
import { Page, pageQuery } from '../../common/paging.ts'
import { SentId } from '../../common/shapes.ts'
import { listTemplates, provisionDevice } from './provisioning.ts'
import { mayRepeatSecrets, rotateOwnCredentials } from './rotation.ts'
import { provisionDevices } from './provisioning-bulk.ts'
import * as schema from './schema.ts'
import type { ProvisioningServices } from './templates.ts'

const operation = operationGroupOf<Services & ProvisioningServices>()({
  tag: 'Provisioning',
  access: ['provision-key'],
})
const rowOperation = rowOperationOf<Services & ProvisioningServices>()

export const provisioningOperations = [
  operation({
    id: 'listProvisionTemplates',
    route: 'GET /provision/device-templates',
    summary: 'List the device templates of a provision key',
    description: 'Pass the `id` of an item as `template_id` to register a device. Newest first.',
    bucket: 'provision',
    unknownMembers: 'ignore',
    query: Type.Object({
      ...pageQuery,
      workspace_id: Type.Optional(SentId('ws', 'If present, it must be the workspace of the key.')),
    }),
    returns: { 200: Page(schema.ProvisionTemplateRow) },
    fails: ['key_scope_denied'],
    run: (context, { query }) => listTemplates(context, query),
  }),
  operation({
    id: 'provisionDevice',
    route: 'POST /provision/device',
    summary: 'Register a device, or rotate its credentials',
    description:
      'Without `device_id` a device is registered (201); with it, its credentials are rotated (200). Send a `hardware_id` or an `Idempotency-Key` with a registration: repeating it within a day returns the first response again; later it rotates the credentials, unless `on_known_device` of the key differs. A rotation only adds credentials: the old password is valid until the new one is first used.',
    bucket: 'provision',
    unknownMembers: 'ignore',
    idempotency: 'own',
    body: schema.ProvisionDevice,
    returns: { 200: schema.ProvisionedDevice, 201: schema.ProvisionedDevice },
    fails: [
      'key_scope_denied',
      'template_not_found',
      'device_not_found',
      'device_key_taken',
      'device_already_registered',
      'quota_reached',
      'idempotency_in_progress',
      'idempotency_key_reused',
    ],
    example: { template_id: 'tpl_01k0a2b3c4d5e6f7g8h9j0kmnp', hardware_id: '24:6F:28:AA:00:01' },
    async run(context, { body }) {
      const provisioned = await provisionDevice(context, body)
      return respond(provisioned.status, provisioned.body, { replayed: provisioned.replayed })
    },
  }),
  rowOperation({
    id: 'provisionDevices',
    route: 'POST /provision/devices',
    tag: 'Provisioning',
    summary: 'Register many devices in one stream',
    description:
      'Send NDJSON with one body of POST /provision/device per line, at most 100,000 lines. The response is NDJSON with one result per line, in the same order, as rows are committed. Repeating the request is safe: rows with a `hardware_id` are registered once.',
    access: ['provision-key'],
    bucket: 'provision',
    unknownMembers: 'ignore',
    body: schema.ProvisionDevice,
    rows: { rows: 100_000, lineBytes: 16_384 },
    returns: { 200: schema.ProvisionResult },
    example: { template_id: 'tpl_01k0a2b3c4d5e6f7g8h9j0kmnp', hardware_id: '24:6F:28:AA:00:01' },
    run: (context, { body }) => provisionDevices(context, body),
  }),
  operation({
    id: 'rotateOwnCredentials',
    route: 'POST /devices/auth/credentials/rotate',
    tag: 'Devices themselves',
    summary: 'Rotate the credentials of the calling device',
    description:
      'The response is that of provisioning. The current credentials are valid until the new ones are first used.',
    access: ['device'],
    bucket: 'safety',
    unknownMembers: 'ignore',
    unapproved: 'allow',
    returns: { 200: schema.ProvisionedDevice },
    fails: ['device_not_found'],
    mayRepeat: mayRepeatSecrets,
    run: (context) => rotateOwnCredentials(context),
  }),
]
