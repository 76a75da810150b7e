/** The schema of an MQTT topic rule, in requests and responses of every owner of rules. */
import Type, { type Static } from 'typebox'

export const RuleAction = Type.Enum(['publish', 'subscribe', 'pubsub'])
export const RulePermission = Type.Enum(['allow', 'deny'])

/** Maximum length of a rule's topic before variables are substituted. */
export const MAX_RULE_TOPIC = 512

/** A rule of a template, whose topic may contain variables. */
export const TemplateTopicRule = Type.Object(
  {
    action: RuleAction,
    topic: Type.String({
      maxLength: MAX_RULE_TOPIC,
      pattern: '^\\{slug\\}/[^\\u0000-\\u001f\\u007f]*$',
      description:
        'A topic that begins with `{slug}/` and may name `{device_key}` and `{device_id}`. Wildcards stand in subscribe rules only.',
    }),
    permission: RulePermission,
  },
  { additionalProperties: false, title: 'TemplateTopicRule' },
)
export type TemplateTopicRule = Static<typeof TemplateTopicRule>

const RuleReference = Type.Object({
  source: Type.Enum(['device', 'principal', 'template', 'default'], {
    description:
      "Whose list the rule stands in: the device's own, the principal's, its template's, or that of devices without any.",
  }),
  id: Type.Union([Type.String(), Type.Null()], {
    description: '`acl_…`; null for a rule of a template or of the default list.',
  }),
  position: Type.Integer({ minimum: 1, description: 'Its place in that list, from 1.' }),
})

export const RuleFinding = Type.Object(
  {
    kind: Type.Enum(['unreachable', 'shadowed', 'redundant'], {
      description:
        '`unreachable`: it never decides. `shadowed`: a deny that refuses no message, since rules before it decide about all of its topics; it can only refuse subscriptions to more than these. `redundant`: without it nothing would be decided differently.',
    }),
    rule: RuleReference,
    actions: Type.Array(Type.Enum(['publish', 'subscribe']), {
      description: 'What it is so for; a `pubsub` rule may still be good for the other.',
    }),
    by: Type.Array(RuleReference, {
      description: 'The rules because of which; none if it denies what no rule allows.',
    }),
    message: Type.String({ description: 'The same for people.' }),
  },
  {
    title: 'MqttRuleFinding',
    description: 'A rule that does not do what its author may think. Nothing is refused for it.',
  },
)
export type RuleFinding = Static<typeof RuleFinding>
