/** Operations on custom fields. */
import { operationGroup } from '../../../context.ts'
import { respond } from '../../../platform/http/reply.ts'
import {
  createCustomField,
  deleteCustomField,
  getCustomField,
  listCustomFields,
  updateCustomField,
} from './custom-field.ts'
import * as schema from './schema.ts'

const operation = operationGroup({ tag: 'Devices', access: ['user', 'platform-key'] })

const path = '/workspaces/:id/custom-fields'

export const customFieldOperations = [
  operation({
    id: 'createCustomField',
    route: `POST ${path}`,
    summary: 'Define a custom field',
    description:
      'Devices then accept a value for it in `custom_fields`. Name and type cannot change. A workspace has at most 100 fields.',
    permission: 'custom_fields.write',
    body: schema.CreateCustomField,
    returns: { 201: schema.CustomFieldView },
    fails: ['custom_field_taken', 'limit_reached'],
    example: { name: 'battery_v', type: 'number', description: 'At the last visit', minimum: 0 },
    created: { location: '/workspaces/{workspace_id}/custom-fields/{id}' },
    run: (context, { body }) => createCustomField(context, body),
  }),
  operation({
    id: 'listCustomFields',
    route: `GET ${path}`,
    summary: 'List the custom fields',
    description: 'All custom fields, ordered by name.',
    permission: 'devices.read',
    isPlanFree: true,
    returns: { 200: schema.CustomFields },
    run: (context) => listCustomFields(context),
  }),
  operation({
    id: 'getCustomField',
    route: `GET ${path}/:field_id`,
    summary: 'Get a custom field',
    permission: 'devices.read',
    isPlanFree: true,
    returns: { 200: schema.CustomFieldView },
    fails: ['custom_field_not_found'],
    run: (context, { params }) => getCustomField(context, params.field_id),
  }),
  operation({
    id: 'updateCustomField',
    route: `PATCH ${path}/:field_id`,
    summary: 'Change a custom field',
    description:
      'Only members in the body change; null removes a constraint. Existing values stay, and are validated when they are next written.',
    permission: 'custom_fields.write',
    body: schema.UpdateCustomField,
    returns: { 200: schema.CustomFieldView },
    fails: ['custom_field_not_found', 'precondition_failed'],
    example: { description: 'At the last visit, in volts', maximum: 60 },
    run: (context, { params, body }) => updateCustomField(context, params.field_id, body),
  }),
  operation({
    id: 'deleteCustomField',
    route: `DELETE ${path}/:field_id`,
    summary: 'Delete a custom field',
    description:
      'Refused while devices have values, unless `purge` requests their deletion. In that case the field immediately stops accepting values, and is deleted after the last value (202 until then).',
    permission: 'custom_fields.write',
    query: schema.DeleteCustomField,
    returns: { 202: schema.CustomFieldView, 204: null },
    fails: ['custom_field_not_found', 'custom_field_in_use', 'precondition_failed'],
    async run(context, { params, query }) {
      const left = await deleteCustomField(context, params.field_id, query.purge ?? false)
      return left === null
        ? respond(204, null)
        : respond(202, left.view, { revision: left.revision })
    },
  }),
]
