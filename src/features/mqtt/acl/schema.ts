/** Schemas of own topic rules. */
import Type, { type Static } from 'typebox'
import { Id, Nullable, Timestamp } from '../../common/shapes.ts'
import { MAX_RULE_TOPIC, RuleAction, RuleFinding, RulePermission } from '../../common/topic-rule.ts'

/** Rules per device or principal. */
export const MAX_ACLS = 100

const rule = {
  action: RuleAction,
  topic: Type.String({
    maxLength: MAX_RULE_TOPIC,
    pattern: '^[^/\\u0000-\\u001f\\u007f]+/[^\\u0000-\\u001f\\u007f]*$',
    description:
      'Begins with `{slug}/`, or with the slug of the workspace, which is kept as `{slug}`. May name `{device_key}` and `{device_id}`; for a principal `{principal_id}`. Wildcards stand in subscribe rules only.',
  }),
  permission: RulePermission,
}

export const CreateAcl = Type.Object({
  ...rule,
  before_id: Type.Optional(
    Id('acl', 'The rule that it comes before. Without one it comes last of the own rules.'),
  ),
})
export type CreateAcl = Static<typeof CreateAcl>

export const UpdateAcl = Type.Partial(Type.Object(rule))
export type UpdateAcl = Static<typeof UpdateAcl>

export const ReorderAcls = Type.Object({
  acl_ids: Type.Array(Id('acl'), {
    maxItems: MAX_ACLS,
    uniqueItems: true,
    description: 'All rules of the list, each once, in the order in which they are to be tried.',
  }),
})
export type ReorderAcls = Static<typeof ReorderAcls>

const acl = {
  id: Id('acl'),
  ...rule,
  position: Type.Integer({ minimum: 1, description: 'Its place in the list; 1 is tried first.' }),
  created_at: Timestamp,
  updated_at: Timestamp,
}
const findings = Type.Array(RuleFinding, {
  description: 'Rules of the whole list that do not do what they may be meant to.',
})

export const AclView = Type.Object(acl, { title: 'MqttAcl' })
export type AclView = Static<typeof AclView>

export const ChangedAcl = Type.Object({ ...acl, findings }, { title: 'ChangedMqttAcl' })
export type ChangedAcl = Static<typeof ChangedAcl>

export const AclList = Type.Object(
  {
    items: Type.Array(AclView, { description: 'In the order in which they are tried.' }),
    next_cursor: Type.Null({ description: 'The list is given whole.' }),
    findings,
  },
  { title: 'MqttAclList' },
)
export type AclList = Static<typeof AclList>

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
    description: 'A topic; to subscribe a filter, also of a shared subscription.',
  }),
})
export type Explain = Static<typeof Explain>

const DecidingRule = Type.Object(
  {
    source: Type.Enum(['device', 'principal', 'template', 'default'], {
      description: 'Whose list it stands in.',
    }),
    id: Nullable(Type.String({ description: '`acl_…` of an own rule.' })),
    template_id: Nullable(Id('tpl')),
    template_version: Nullable(
      Type.Integer({ description: 'What the `ETag` of it begins with now.' }),
    ),
    position: Type.Integer({ description: 'Its place in that list, from 1.' }),
    action: RuleAction,
    topic: Type.String({ description: 'As it was written.' }),
    resolved_topic: Type.String({ description: 'With its variables filled in.' }),
    permission: RulePermission,
  },
  { title: 'DecidingRule' },
)

export const Explanation = Type.Object(
  {
    allowed: Type.Boolean({ description: 'Whether the client can do it now.' }),
    reason: Type.Enum(['rule', 'no_rule', 'client_refused', 'malformed_topic', 'reserved_topic'], {
      description:
        '`rule`: the rule says so. `no_rule`: none applies, which denies. `client_refused`: it would not be let in at all; see `would_connect`. `reserved_topic`: what begins with `$` belongs to the broker.',
    }),
    rule: Nullable(DecidingRule),
    would_connect: Type.Object({
      allowed: Type.Boolean({ description: 'Whether it is let in with a good secret.' }),
      reason: Nullable(
        Type.String({
          description:
            'Why not: `suspended`, `not_approved`, `decommissioned`, `expired`, `workspace_inactive`, or `no_secret`.',
        }),
      ),
    }),
  },
  { title: 'MqttExplanation' },
)
export type Explanation = Static<typeof Explanation>
