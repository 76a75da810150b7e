/** Schemas of own topic rules. */
import Type, { type Static } from 'typebox'
import { Flag, Id, Integer, NamedObject, Nullable, Text, Timestamp } from '../../common/shapes.ts'
import {
  MAX_RULE_TOPIC,
  MAX_TEMPLATE_RULES,
  RuleAction,
  RuleFinding,
  RulePermission,
  TemplateTopicRule,
  TopicEffect,
} from '../../common/topic-rule.ts'

/** Rules per device or principal. */
export const MAX_ACLS = 100

const rule = {
  action: RuleAction,
  topic: Type.String({
    maxLength: MAX_RULE_TOPIC,
    pattern: '^[^/\\u0000-\\u001f\\u007f]+/[^\\u0000-\\u001f\\u007f]*$',
    description:
      'Begins with `{slug}/`, or with the slug of the workspace, which is stored as `{slug}`. Can contain `{device_key}` and `{device_id}`; for a principal `{principal_id}`. Wildcards are allowed only in subscribe rules.',
  }),
  permission: RulePermission,
}

export const CreateAcl = Type.Object({
  ...rule,
  before_id: Type.Optional(
    Id('acl', 'The rule before which it is inserted. By default it is added at the end.'),
  ),
})
export type CreateAcl = Static<typeof CreateAcl>

export const UpdateAcl = Type.Partial(Type.Object(rule))
export type UpdateAcl = Static<typeof UpdateAcl>

export const ReorderAcls = Type.Object({
  acl_ids: Type.Array(Id('acl'), {
    maxItems: MAX_ACLS,
    uniqueItems: true,
    description: 'All rules of the list, each exactly once, in the new order of evaluation.',
  }),
})
export type ReorderAcls = Static<typeof ReorderAcls>

export const PreviewAcls = Type.Object({
  rules: Type.Array(Type.Object(rule), {
    // One rule too many is refused by the limit of rules, with the error of that limit.
    maxItems: MAX_ACLS + 1,
    description: 'All its own rules as they would be, in the order of evaluation.',
  }),
})
export type PreviewAcls = Static<typeof PreviewAcls>

const acl = {
  id: Id('acl'),
  ...rule,
  position: Type.Integer({
    minimum: 1,
    description: 'Its position in the list; 1 is evaluated first.',
  }),
  created_at: Timestamp,
  updated_at: Timestamp,
}
const findings = Type.Array(RuleFinding, {
  description: 'Rules of the whole list that probably do not have the intended effect.',
})

export const AclView = NamedObject('MqttAcl', acl)
export type AclView = Static<typeof AclView>

export const ChangedAcl = NamedObject('ChangedMqttAcl', { ...acl, findings })
export type ChangedAcl = Static<typeof ChangedAcl>

export const AclList = NamedObject('MqttAclList', {
  items: Type.Array(AclView, { description: 'The rules in the order of evaluation.' }),
  next_cursor: Type.Null({ description: 'The list has only one page.' }),
  findings,
})
export type AclList = Static<typeof AclList>

export const RulesEffect = Type.Object(
  { topics: TopicEffect, findings },
  {
    title: 'MqttRulesEffect',
    description:
      'The effect of a change: the topics that the client gains and loses, and its own rules without effect.',
  },
)
export type RulesEffect = Static<typeof RulesEffect>

export const Explain = Type.Object({
  client: Type.String({
    pattern: '^(?:dev|mqp)_[0-7][0-9a-hjkmnp-tv-z]{25}$',
    description: 'Id of a device or of an MQTT principal.',
  }),
  action: Type.Enum(['publish', 'subscribe', 'receive'], {
    description: '`receive`: whether a message on this topic would be delivered.',
  }),
  topic: Type.String({
    minLength: 1,
    maxLength: 4_096,
    description: 'A topic; for `subscribe` a topic filter, which can be a shared subscription.',
  }),
  template_rules: Type.Optional(
    Type.Array(TemplateTopicRule, {
      maxItems: MAX_TEMPLATE_RULES,
      description:
        'Simulates a change that is not saved: the device is treated as if its template had these rules. An empty list stands for the default rules. Only for devices.',
    }),
  ),
})
export type Explain = Static<typeof Explain>

const DecidingRule = NamedObject('DecidingRule', {
  source: Type.Enum(['device', 'principal', 'template', 'default'], {
    description: 'The list that contains the rule.',
  }),
  id: Nullable(Type.String(), '`acl_…` if the rule belongs to the device or principal itself.'),
  template_id: Nullable(Id('tpl')),
  template_version: Nullable(
    Type.Integer(),
    'The current revision of the list, as at the beginning of its `ETag`.',
  ),
  position: Integer('Its position in that list, from 1.'),
  action: RuleAction,
  topic: Text('The topic of the rule as it was written.'),
  resolved_topic: Text('The topic of the rule with its variables replaced.'),
  permission: RulePermission,
})

export const Explanation = NamedObject('MqttExplanation', {
  allowed: Flag('Whether the client can currently perform the action.'),
  reason: Type.Enum(['rule', 'no_rule', 'client_refused', 'malformed_topic', 'reserved_topic'], {
    description:
      '`rule`: the rule decides. `no_rule`: no rule matches, which denies. `client_refused`: a connection would be refused; see `would_connect`. `reserved_topic`: topics that begin with `$` are reserved for the broker.',
  }),
  rule: Nullable(DecidingRule),
  would_connect: Type.Object({
    allowed: Flag('Whether a connection with a valid secret would be accepted.'),
    reason: Nullable(
      Type.String(),
      'The reason of a refusal: `suspended`, `not_approved`, `decommissioned`, `expired`, `workspace_inactive`, or `no_secret`.',
    ),
  }),
})
export type Explanation = Static<typeof Explanation>
