/** Operations on custom fields. */
import { operation } from '../../../context.ts'
import { respond, idParam } from '../../../platform/http/operation.ts'
import {
  createCustomField,
  deleteCustomField,
  getCustomField,
  listCustomFields,
  updateCustomField,
} from './custom-field.ts'
import {
  CreateCustomField,
  CustomFields,
  CustomFieldView,
  DeleteCustomField,
  UpdateCustomField,
} from './schema.ts'

const access = ['user', 'platform-key'] as const
const tag = 'Devices'
const path = '/workspaces/:id/custom-fields'
const workspace = { id: idParam('ws', 'workspace_not_found') }
const field = { ...workspace, field_id: idParam('fld', 'custom_field_not_found') }

export const customFieldOperations = [
  operation({
    id: 'createCustomField',
    method: 'POST',
    path,
    tag,
    summary: 'Define a custom field',
    description:
      'Devices then accept a value for it in `custom_fields`. Name and type cannot change. A workspace has at most 100 fields.',
    access,
    permission: 'custom_fields.write',
    params: workspace,
    body: CreateCustomField,
    returns: { 201: CustomFieldView },
    fails: ['custom_field_taken', 'limit_reached'],
    example: { name: 'battery_v', type: 'number', description: 'At the last visit', minimum: 0 },
    async run(context, { body }) {
      const { view, revision } = await createCustomField(context, body)
      const location = `/workspaces/${view.workspace_id}/custom-fields/${view.id}`
      return respond(201, view, { revision, location })
    },
  }),
  operation({
    id: 'listCustomFields',
    method: 'GET',
    path,
    tag,
    summary: 'List the custom fields',
    description: 'All custom fields, ordered by name.',
    access,
    permission: 'devices.read',
    isPlanFree: true,
    params: workspace,
    returns: { 200: CustomFields },
    fails: [],
    run: async (context) => respond(200, await listCustomFields(context)),
  }),
  operation({
    id: 'getCustomField',
    method: 'GET',
    path: `${path}/:field_id`,
    tag,
    summary: 'Get a custom field',
    access,
    permission: 'devices.read',
    isPlanFree: true,
    params: field,
    returns: { 200: CustomFieldView },
    fails: ['custom_field_not_found'],
    async run(context, { params }) {
      const { view, revision } = await getCustomField(context, params.field_id)
      return respond(200, view, { revision })
    },
  }),
  operation({
    id: 'updateCustomField',
    method: 'PATCH',
    path: `${path}/:field_id`,
    tag,
    summary: 'Change a custom field',
    description:
      'Only members in the body change; null removes a constraint. Existing values stay, and are validated when they are next written.',
    access,
    permission: 'custom_fields.write',
    params: field,
    body: UpdateCustomField,
    returns: { 200: CustomFieldView },
    fails: ['custom_field_not_found', 'precondition_failed'],
    example: { description: 'At the last visit, in volts', maximum: 60 },
    async run(context, { params, body }) {
      const { view, revision } = await updateCustomField(context, params.field_id, body)
      return respond(200, view, { revision })
    },
  }),
  operation({
    id: 'deleteCustomField',
    method: 'DELETE',
    path: `${path}/:field_id`,
    tag,
    summary: 'Delete a custom field',
    description:
      'Refused while devices have values, unless `purge` requests their deletion. In that case the field immediately stops accepting values, and is deleted after the last value (202 until then).',
    access,
    permission: 'custom_fields.write',
    params: field,
    query: DeleteCustomField,
    returns: { 202: CustomFieldView, 204: null },
    fails: ['custom_field_not_found', 'custom_field_in_use', 'precondition_failed'],
    async run(context, { params, query }) {
      const left = await deleteCustomField(context, params.field_id, query.purge ?? false)
      return left === null
        ? respond(204, null)
        : respond(202, left.view, { revision: left.revision })
    },
  }),
]
