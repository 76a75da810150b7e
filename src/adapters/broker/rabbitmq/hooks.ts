/**
 * rabbitmq_auth_backend_http (3.10 to 4.x) for the MQTT plugin: `POST` with a form for `user`,
 * `vhost`, `resource` and `topic`. The response is `allow` or `deny`; tags after `allow` could
 * grant admin rights, so there are none. Any status but 200 and 201 is an error, which denies and
 * which rabbit_auth_backend_cache does not cache.
 */
import { oncePer } from '../../../platform/lib/once-per.ts'
import { compileRules, mayPublish, maySubscribe } from '../topics.ts'
import { admit, clientOf, rightsOf } from '../hooks/decisions.ts'
import {
  type HookResponse,
  type Fields,
  type Hook,
  type HookCall,
  type HookRefusal,
  refusalOf,
  SMALL_BODY,
  statusOf,
  textOf,
} from '../hooks/hook.ts'
import type { RabbitmqEntry } from './settings.ts'
import type { TopicRule } from '../port.ts'

/**
 * Topics as RabbitMQ passes them: routing keys with `.` for `/` and `*` for `+`. It cannot
 * distinguish a dot or asterisk inside a level from a separator or wildcard, so rules are
 * normalized to what RabbitMQ can distinguish, and anything else is denied. The topic or filter of
 * a routing key.
 */
export const fromRoutingKey = (key: string): string => key.replaceAll('.', '/').replaceAll('*', '+')

/**
 * Denies everything that RabbitMQ confuses with the filter; a level with an asterisk matches any.
 */
function widened(topic: string): string {
  const levels = topic.replaceAll('.', '/').split('/')
  return levels.map((level) => (level.includes('*') ? '+' : level)).join('/')
}

function* translated(rules: readonly TopicRule[]): Generator<TopicRule> {
  for (const rule of rules) {
    if (!/[.*]/.test(rule.topic)) yield rule
    // An allow would also cover other topics, possibly of other principals.
    else if (rule.permission === 'deny') yield { ...rule, topic: widened(rule.topic) }
  }
}

export const rulesForRoutingKeys = oncePer((rules: readonly TopicRule[]) =>
  compileRules([...translated(rules)]),
)

const responseOf = (status: number, body: 'allow' | 'deny'): HookResponse => ({
  status,
  type: 'text/plain',
  body,
})

const allow = responseOf(200, 'allow')
// RabbitMQ would log a reason after `deny` together with the client's address.
const deny = (reason: HookRefusal): HookResponse =>
  responseOf(reason === 'refused' ? 200 : statusOf[reason], 'deny')

const common = { form: 'form', bodyLimit: SMALL_BODY, deny } as const

/** The value of `mqtt.exchange` by default. */
const EXCHANGE = 'amq.topic'

/** Queues of the MQTT plugin: one per session and QoS, and for delayed wills. */
const QUEUE = /^(?:mqtt-subscription-(.+)qos[01]|mqtt-will-(.+))$/s

function isOfVhost({ broker, fields }: HookCall): boolean {
  const { vhost = '/' }: RabbitmqEntry = broker
  return textOf(fields, 'vhost') === vhost
}

/** Logins by other protocols have no client id and are denied. */
async function user(call: HookCall): Promise<HookResponse> {
  const client = clientOf(call.fields, { clientId: 'client_id', address: 'ip' })
  const vhost = textOf(call.fields, 'vhost')
  // RabbitMQ 3.10 logs in a second time for its own connection, without the virtual host.
  if (vhost !== undefined && !isOfVhost(call)) return deny('refused')
  const decision = await admit(call, client)
  return decision.accepted ? allow : deny(refusalOf(decision.reason))
}

/** Decides by the user's grant, with a client id of its own. */
async function decide(
  call: HookCall,
  clientId: string | undefined,
  may: (rules: ReturnType<typeof rulesForRoutingKeys>) => boolean,
): Promise<HookResponse> {
  const username = textOf(call.fields, 'username')
  if (username === undefined) return deny('malformed')
  if (!isOfVhost(call)) return deny('refused')
  const decision = await rightsOf(call, username, clientId ?? username)
  if (!decision.accepted) return deny(refusalOf(decision.reason))
  return may(rulesForRoutingKeys(decision.grant.rules)) ? allow : deny('refused')
}

function resource(call: HookCall): Promise<HookResponse> {
  const { fields } = call
  const name = textOf(fields, 'name') ?? ''
  const permission = textOf(fields, 'permission')
  if (textOf(fields, 'resource') === 'queue') {
    const [, session, will] = QUEUE.exec(name) ?? []
    const owner = session ?? will
    if (owner === undefined) return Promise.resolve(deny('refused'))
    return decide(call, owner, () => ['configure', 'write', 'read'].includes(permission ?? ''))
  }
  // Topics of the exchange are checked by the next call.
  const isExchange = textOf(fields, 'resource') === 'exchange' && name === EXCHANGE
  const isUse = permission === 'read' || permission === 'write'
  if (!isExchange || !isUse) return Promise.resolve(deny('refused'))
  return decide(call, clientIdOf(fields), () => true)
}

/** The position of the client id differs between calls. */
const clientIdOf = (fields: Fields): string | undefined =>
  textOf(fields, 'client_id') ?? textOf(fields, 'variable_map.client_id')

function topic(call: HookCall): Promise<HookResponse> {
  const { fields } = call
  const key = textOf(fields, 'routing_key')
  const permission = textOf(fields, 'permission')
  const isTopic = textOf(fields, 'resource') === 'topic' && textOf(fields, 'name') === EXCHANGE
  if (key === undefined || !isTopic) return Promise.resolve(deny('refused'))
  const wanted = fromRoutingKey(key)
  return decide(call, clientIdOf(fields), (rules) => {
    if (permission === 'write') return mayPublish(rules, wanted)
    return permission === 'read' && !wanted.startsWith('$') && maySubscribe(rules, wanted)
  })
}

export const rabbitmqHooks: readonly Hook[] = [
  { ...common, path: 'rabbitmq/user', decide: user },
  {
    ...common,
    path: 'rabbitmq/vhost',
    decide: (call) => decide(call, clientIdOf(call.fields), () => true),
  },
  { ...common, path: 'rabbitmq/resource', decide: resource },
  { ...common, path: 'rabbitmq/topic', decide: topic },
]
