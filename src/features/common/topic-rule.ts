/** Schemas of MQTT topic rules and their effect, for every owner of rules. */
import Type, { type Static } from 'typebox'
import { Flag, NamedObject, Text } from './shapes.ts'

export const RuleAction = Type.Enum(['publish', 'subscribe', 'pubsub'])
export const RulePermission = Type.Enum(['allow', 'deny'])

/** Maximum length of a rule's topic before variables are substituted. */
export const MAX_RULE_TOPIC = 512

/** The limit of a template. */
export const MAX_TEMPLATE_RULES = 100

/** A rule of a template, whose topic may contain variables. */
export const TemplateTopicRule = Type.Object(
  {
    action: RuleAction,
    topic: Type.String({
      maxLength: MAX_RULE_TOPIC,
      pattern: '^\\{slug\\}/[^\\u0000-\\u001f\\u007f]*$',
      description:
        'A topic that begins with `{slug}/` and can contain `{device_key}` and `{device_id}`. Wildcards are allowed only in subscribe rules.',
    }),
    permission: RulePermission,
  },
  { additionalProperties: false, title: 'TemplateTopicRule' },
)
export type TemplateTopicRule = Static<typeof TemplateTopicRule>

/** An own rule of a device or principal, as it is stored. */
const OwnRule = Type.Object({
  ...TemplateTopicRule.properties,
  /** UUID. */
  id: Type.String(),
  /** RFC 3339. */
  created_at: Type.String(),
  updated_at: Type.String(),
})
export type OwnRule = Static<typeof OwnRule>
export const OwnRules = Type.Array(OwnRule)
export const TemplateRules = Type.Array(TemplateTopicRule)

const RuleReference = Type.Object({
  source: Type.Enum(['device', 'principal', 'template', 'default'], {
    description:
      'The list that contains the rule: that of the device, the principal, the template, or the default list.',
  }),
  id: Type.Union([Type.String(), Type.Null()], {
    description:
      '`acl_…`; null for a rule of a template, of the default list, or that is not saved.',
  }),
  position: Type.Integer({ minimum: 1, description: 'Its position in that list, from 1.' }),
})

export const RuleFinding = Type.Object(
  {
    kind: Type.Enum(['unreachable', 'shadowed', 'redundant'], {
      description:
        '`unreachable`: the rule never decides. `shadowed`: a deny rule that refuses no message, because earlier rules decide for all of its topics; it can only refuse broader subscriptions. `redundant`: without the rule every decision would be the same.',
    }),
    rule: RuleReference,
    actions: Type.Array(Type.Enum(['publish', 'subscribe']), {
      description:
        'The action that the finding is about. A `pubsub` rule may still have an effect for the other action.',
    }),
    by: Type.Array(RuleReference, {
      description:
        'The rules that cause the finding. Empty if the rule denies topics that no rule allows.',
    }),
    message: Text('A message for people.'),
  },
  {
    title: 'MqttRuleFinding',
    description:
      'A rule that probably does not have the intended effect. The request is not refused because of it.',
  },
)
export type RuleFinding = Static<typeof RuleFinding>

export const TopicAccess = NamedObject('TopicAccess', {
  action: Type.Enum(['publish', 'subscribe']),
  topic: Text(
    'A topic, or a topic filter. A filter stands for its topics without a more specific rule, or for the subscription to the filter as a whole.',
  ),
})
export type TopicAccess = Static<typeof TopicAccess>

/** The rights that a change of rules gives to a client, and those that it takes. */
export const TopicEffect = NamedObject('TopicEffect', {
  gained: Type.Array(TopicAccess),
  lost: Type.Array(TopicAccess),
  is_complete: Flag(
    'False if the overlaps of the filters are too many to examine all. The listed items are still correct.',
  ),
})
export type TopicEffect = Static<typeof TopicEffect>
