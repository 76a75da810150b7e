/** Operations on own topic rules of devices and principals, and on the effect of rules. */
import type { Services } from '../../../context.ts'
import { operationGroupOf } from '../../../platform/http/operation.ts'
import { addAcl, changeAcl, deleteAcl, listAcls, previewAcls, reorderAcls } from './acl.ts'
import type { Owner } from './acl-list.ts'
import { explain, type ExplainServices } from './explain.ts'
import * as schema from './schema.ts'

const operation = operationGroupOf<Services & ExplainServices>()({
  tag: 'MQTT',
  access: ['user', 'platform-key'],
})

/** The differences between lists of devices and of principals. */
const owners = {
  device: {
    Name: 'Device',
    a: 'a device',
    tag: 'Devices',
    path: '/workspaces/:id/devices/:device_id/acls',
    param: 'device_id',
    missing: 'device_not_found',
    topic: '{slug}/{device_key}/diagnostics',
    place: 'They precede the rules of its template, or the default rules.',
  },
  principal: {
    Name: 'MqttPrincipal',
    a: 'an MQTT principal',
    tag: 'MQTT',
    path: '/workspaces/:id/mqtt/principals/:principal_id/acls',
    param: 'principal_id',
    missing: 'mqtt_principal_not_found',
    topic: '{slug}/+/telemetry',
    place: 'No match denies.',
  },
} as const

const ownerOf = (kind: Owner['kind'], params: Record<string, string>): Owner => ({
  kind,
  id: params[owners[kind].param] ?? '',
})

function listOperations(kind: Owner['kind']) {
  const { Name, a, tag, path, missing, place } = owners[kind]
  return [
    operation({
      id: `list${Name}Acls`,
      route: `GET ${path}`,
      tag,
      summary: `List the MQTT rules of ${a}`,
      description: `Its own rules in the order of evaluation: the first matching rule decides. ${place} \`findings\` lists rules without effect.`,
      permission: 'mqtt.read',
      isPlanFree: true,
      returns: { 200: schema.AclList },
      fails: [missing],
      run: (context, { params }) => listAcls(context, ownerOf(kind, params)),
    }),
    operation({
      id: `reorder${Name}Acls`,
      route: `PUT ${path}/reorder`,
      tag,
      summary: `Reorder the MQTT rules of ${a}`,
      description:
        'The body must list every rule exactly once. The `ETag` contains the revision of the ' +
        'list.',
      permission: 'mqtt_rules.write',
      isPlanFree: true,
      body: schema.ReorderAcls,
      returns: { 200: schema.AclList },
      fails: [missing, 'acl_ids_differ', 'precondition_failed'],
      example: { acl_ids: ['acl_01h455vb4pex5vsknk084sn02q', 'acl_01h455vb4pex5vsknk084sn02r'] },
      run: (context, { params, body }) => reorderAcls(context, ownerOf(kind, params), body),
    }),
  ]
}

function previewOperation(kind: Owner['kind']) {
  const { Name, a, tag, path, missing, topic } = owners[kind]
  return operation({
    id: `preview${Name}Acls`,
    route: `POST ${path}/effect`,
    tag,
    summary: `Preview a change of the MQTT rules of ${a}`,
    description:
      'Returns the topics that the client would gain and lose with the own rules in the body, and the rules that would have no effect. Nothing changes.',
    permission: 'mqtt_rules.explain',
    bucket: 'read',
    isPlanFree: true,
    body: schema.PreviewAcls,
    returns: { 200: schema.RulesEffect },
    fails: [missing, 'limit_reached'],
    example: {
      rules: [{ action: kind === 'device' ? 'publish' : 'subscribe', topic, permission: 'allow' }],
    },
    run: (context, { params, body }) => previewAcls(context, ownerOf(kind, params), body),
  })
}

const permission = 'mqtt_rules.write'
const live =
  'The change applies to live sessions within a second. The `ETag` contains the revision of ' +
  'the whole list.'

function createOperation(kind: Owner['kind']) {
  const { Name, a, tag, path, missing, topic } = owners[kind]
  return operation({
    id: `create${Name}Acl`,
    route: `POST ${path}`,
    tag,
    summary: `Add an MQTT rule to ${a}`,
    description: `The rule is added at the end, or before the rule that the body names. ${live}`,
    permission,
    isPlanFree: true,
    body: schema.CreateAcl,
    returns: { 201: schema.ChangedAcl },
    fails: [missing, 'limit_reached', 'precondition_failed'],
    example: { action: kind === 'device' ? 'publish' : 'subscribe', topic, permission: 'allow' },
    run: (context, { params, body }) => addAcl(context, ownerOf(kind, params), body),
  })
}

function ruleOperations(kind: Owner['kind']) {
  const { Name, a, tag, path, missing } = owners[kind]
  return [
    operation({
      id: `update${Name}Acl`,
      route: `PATCH ${path}/:acl_id`,
      tag,
      summary: `Change an MQTT rule of ${a}`,
      description: `The rule keeps its position. ${live}`,
      permission,
      isPlanFree: true,
      body: schema.UpdateAcl,
      returns: { 200: schema.ChangedAcl },
      fails: [missing, 'acl_not_found', 'precondition_failed'],
      example: { permission: 'deny' },
      run: (context, { params, body }) =>
        changeAcl(context, ownerOf(kind, params), params.acl_id, body),
    }),
    operation({
      id: `delete${Name}Acl`,
      route: `DELETE ${path}/:acl_id`,
      tag,
      summary: `Delete an MQTT rule of ${a}`,
      description: live,
      permission,
      returns: { 204: null },
      fails: [missing, 'acl_not_found', 'precondition_failed'],
      run: (context, { params }) => deleteAcl(context, ownerOf(kind, params), params.acl_id),
    }),
  ]
}

export const mqttRuleOperations = [
  ...(['device', 'principal'] as const).flatMap((kind) => [
    createOperation(kind),
    ...listOperations(kind),
    ...ruleOperations(kind),
    previewOperation(kind),
  ]),
  operation({
    id: 'explainMqtt',
    route: 'POST /workspaces/:id/mqtt/explain',
    summary: 'Explain what an MQTT client may do',
    description:
      'Returns whether a device or a principal may currently perform the action, and the rule that decides. The broker uses the same rules. With `template_rules` it answers for rules that are not saved yet. A broker may additionally refuse requests that exceed its limits, such as very deep topics.',
    permission: 'mqtt_rules.explain',
    bucket: 'read',
    body: schema.Explain,
    returns: { 200: schema.Explanation },
    example: {
      client: 'dev_01h455vb4pex5vsknk084sn02q',
      action: 'subscribe',
      topic: 'acme/sn-0001/cmd/#',
    },
    run: (context, { body }) => explain(context, body),
  }),
]
