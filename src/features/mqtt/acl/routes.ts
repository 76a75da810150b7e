/** Operations on own topic rules of devices and principals, and on the effect of rules. */
import { operation } from '../../../context.ts'
import { respond, idParam, type IdParam } from '../../../platform/http/operation.ts'
import { addAcl, changeAcl, deleteAcl, listAcls, reorderAcls } from './acl.ts'
import type { Owner } from './acl-list.ts'
import { explain } from './explain.ts'
import {
  AclList,
  ChangedAcl,
  CreateAcl,
  Explain,
  Explanation,
  ReorderAcls,
  UpdateAcl,
} from './schema.ts'

const access = ['user', 'platform-key'] as const
const workspace = { id: idParam('ws', 'workspace_not_found') }

/** The differences between lists of devices and of principals. */
const owners = {
  device: {
    Name: 'Device',
    a: 'a device',
    tag: 'Devices',
    path: '/workspaces/:id/devices/:device_id/acls',
    param: 'device_id',
    own: idParam('dev', 'device_not_found'),
    topic: '{slug}/{device_key}/diagnostics',
    place: 'They precede the rules of its template, or the default rules.',
  },
  principal: {
    Name: 'MqttPrincipal',
    a: 'an MQTT principal',
    tag: 'MQTT',
    path: '/workspaces/:id/mqtt/principals/:principal_id/acls',
    param: 'principal_id',
    own: idParam('mqp', 'mqtt_principal_not_found'),
    topic: '{slug}/+/telemetry',
    place: 'No match denies.',
  },
} as const

function listOperations(kind: Owner['kind']) {
  const { Name, a, tag, path, param, own, place } = owners[kind]
  const params: Record<string, IdParam> = { ...workspace, [param]: own }
  const ownerOf = (values: Record<string, string>): Owner => ({ kind, id: values[param] ?? '' })
  return [
    operation({
      id: `list${Name}Acls`,
      method: 'GET',
      path,
      tag,
      summary: `List the MQTT rules of ${a}`,
      description: `Its own rules in the order of evaluation: the first matching rule decides. ${place} \`findings\` lists rules without effect.`,
      access,
      permission: 'mqtt.read',
      isPlanFree: true,
      params,
      returns: { 200: AclList },
      fails: [own.missing],
      async run(context, { params: values }) {
        const { view, revision } = await listAcls(context, ownerOf(values))
        return respond(200, view, { revision })
      },
    }),
    operation({
      id: `reorder${Name}Acls`,
      method: 'PUT',
      path: `${path}/reorder`,
      tag,
      summary: `Reorder the MQTT rules of ${a}`,
      description:
        'The body must list every rule exactly once. The `ETag` contains the revision of the ' +
        'list.',
      access,
      permission: 'mqtt_rules.write',
      isPlanFree: true,
      params,
      body: ReorderAcls,
      returns: { 200: AclList },
      fails: [own.missing, 'acl_ids_differ', 'precondition_failed'],
      example: {
        acl_ids: ['acl_01h455vb4pex5vsknk084sn02q', 'acl_01h455vb4pex5vsknk084sn02r'],
      },
      async run(context, { params: values, body }) {
        const { view, revision } = await reorderAcls(context, ownerOf(values), body)
        return respond(200, view, { revision })
      },
    }),
  ]
}

const permission = 'mqtt_rules.write'
const live =
  'The change applies to live sessions within a second. The `ETag` contains the revision of ' +
  'the whole list.'

function createOperation(kind: Owner['kind']) {
  const { Name, a, tag, path, param, own, topic } = owners[kind]
  const params: Record<string, IdParam> = { ...workspace, [param]: own }
  return operation({
    id: `create${Name}Acl`,
    method: 'POST',
    path,
    tag,
    summary: `Add an MQTT rule to ${a}`,
    description: `It comes last, or before the one that is named. ${live}`,
    access,
    permission,
    isPlanFree: true,
    params,
    body: CreateAcl,
    returns: { 201: ChangedAcl },
    fails: [own.missing, 'limit_reached', 'precondition_failed'],
    example: { action: kind === 'device' ? 'publish' : 'subscribe', topic, permission: 'allow' },
    async run(context, { params: values, body }) {
      const owner = { kind, id: values[param] ?? '' }
      const { view, revision } = await addAcl(context, owner, body)
      return respond(201, view, { revision })
    },
  })
}

function ruleOperations(kind: Owner['kind']) {
  const { Name, a, tag, path, param, own } = owners[kind]
  const params: Record<string, IdParam> = {
    ...workspace,
    [param]: own,
    acl_id: idParam('acl', 'acl_not_found'),
  }
  const ownerOf = (values: Record<string, string>): Owner => ({ kind, id: values[param] ?? '' })
  return [
    operation({
      id: `update${Name}Acl`,
      method: 'PATCH',
      path: `${path}/:acl_id`,
      tag,
      summary: `Change an MQTT rule of ${a}`,
      description: `It keeps its place. ${live}`,
      access,
      permission,
      isPlanFree: true,
      params,
      body: UpdateAcl,
      returns: { 200: ChangedAcl },
      fails: [own.missing, 'acl_not_found', 'precondition_failed'],
      example: { permission: 'deny' },
      async run(context, { params: values, body }) {
        const id = values.acl_id ?? ''
        const { view, revision } = await changeAcl(context, ownerOf(values), id, body)
        return respond(200, view, { revision })
      },
    }),
    operation({
      id: `delete${Name}Acl`,
      method: 'DELETE',
      path: `${path}/:acl_id`,
      tag,
      summary: `Delete an MQTT rule of ${a}`,
      description: live,
      access,
      permission,
      params,
      returns: { 204: null },
      fails: [own.missing, 'acl_not_found', 'precondition_failed'],
      async run(context, { params: values }) {
        await deleteAcl(context, ownerOf(values), values.acl_id ?? '')
        return respond(204, null)
      },
    }),
  ]
}

export const mqttRuleOperations = [
  createOperation('device'),
  ...listOperations('device'),
  ...ruleOperations('device'),
  createOperation('principal'),
  ...listOperations('principal'),
  ...ruleOperations('principal'),
  operation({
    id: 'explainMqtt',
    method: 'POST',
    path: '/workspaces/:id/mqtt/explain',
    tag: 'MQTT',
    summary: 'Explain what an MQTT client may do',
    description:
      'Returns whether a device or a principal may currently perform the action, and the rule that decides. The broker uses the same rules. A broker may additionally refuse requests that exceed its limits, such as very deep topics.',
    access,
    permission: 'mqtt_rules.explain',
    bucket: 'read',
    params: workspace,
    body: Explain,
    returns: { 200: Explanation },
    fails: [],
    example: {
      client: 'dev_01h455vb4pex5vsknk084sn02q',
      action: 'subscribe',
      topic: 'acme/sn-0001/cmd/#',
    },
    run: async (context, { body }) => respond(200, await explain(context, body)),
  }),
]
