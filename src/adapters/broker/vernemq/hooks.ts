/**
 * VerneMQ's webhooks (2.0) for MQTT 3.1.1 and, with the suffix `_m5`, MQTT 5. The header
 * `vernemq-hook` names the hook, so one URL serves all six. Responses without `Cache-Control:
 * max-age` are not cached. Any status but 200 is an error, which denies.
 */
import { compiledOnce, type CompiledRules, mayPublish, maySubscribe } from '../topics.ts'
import { admit, clientOf, rightsOf } from '../hooks/decisions.ts'
import {
  type HookResponse,
  type HookRefusal,
  refusalOf,
  type Fields,
  type Hook,
  type HookCall,
  json,
  statusOf,
  textOf,
} from '../hooks/hook.ts'

const allow = json(200, '{"result":"ok"}')
const NOT_ALLOWED = json(200, '{"result":{"error":"not_allowed"}}')
const deny = (reason: HookRefusal): HookResponse =>
  reason === 'refused' ? NOT_ALLOWED : { ...NOT_ALLOWED, status: statusOf[reason] }

/** Includes the published payload in base64, unless `no_payload` is set. */
const WITH_PAYLOAD = 1_048_576

const MQTT_311 = 4
const MQTT_5 = 5
/** The MQTT 3.1.1 return code, and the MQTT 5 reason code "not authorized". */
const FAILED = { [MQTT_311]: 128, [MQTT_5]: 135 }

interface Wanted {
  topic: string
  qos: number
}

/** The requested subscriptions; undefined if one is malformed. */
function readTopics({ topics }: Fields): Wanted[] | undefined {
  if (!Array.isArray(topics) || topics.length === 0) return undefined
  const wanted = topics.map((each: unknown) => {
    const entry = typeof each === 'object' && each !== null ? (each as Fields) : {}
    const { qos } = entry
    const topic = textOf(entry, 'topic')
    return topic !== undefined && (qos === 0 || qos === 1 || qos === 2)
      ? { ...entry, topic, qos }
      : undefined
  })
  return wanted.every((each) => each !== undefined) ? wanted : undefined
}

/** Grants the allowed filters and refuses the others one by one. */
function subscribe(rules: CompiledRules, wanted: readonly Wanted[], version: 4 | 5): HookResponse {
  const decided = wanted.map((each) =>
    maySubscribe(rules, each.topic) ? each : { topic: each.topic, qos: FAILED[version] },
  )
  const granted = decided.filter((each, index) => each === wanted[index])
  if (granted.length === decided.length) return allow
  if (granted.length === 0) return deny('refused')
  const body =
    version === MQTT_5
      ? { result: 'ok', modifiers: { topics: decided } }
      : { result: 'ok', topics: decided }
  return json(200, JSON.stringify(body))
}

async function authorize(call: HookCall, action: string, version: 4 | 5): Promise<HookResponse> {
  const { fields } = call
  const username = textOf(fields, 'username')
  const clientId = textOf(fields, 'client_id')
  if (username === undefined || clientId === undefined) return deny('malformed')
  const decision = await rightsOf(call, username, clientId)
  if (!decision.accepted) return deny(refusalOf(decision.reason))
  const rules = compiledOnce(decision.grant.rules)
  if (action === 'subscribe') {
    const wanted = readTopics(fields)
    return wanted === undefined ? deny('malformed') : subscribe(rules, wanted, version)
  }
  const topic = textOf(fields, 'topic')
  return topic !== undefined && mayPublish(rules, topic) ? allow : deny('refused')
}

async function register(call: HookCall, protocolVersion: 4 | 5): Promise<HookResponse> {
  const client = clientOf(call.fields, { clientId: 'client_id', address: 'peer_addr' })
  const decision = await admit(call, { ...client, protocolVersion })
  return decision.accepted ? allow : deny(refusalOf(decision.reason))
}

export const vernemqHooks: readonly Hook[] = [
  {
    path: 'vernemq',
    header: 'vernemq-hook',
    form: 'json',
    bodyLimit: WITH_PAYLOAD,
    deny,
    async decide(call) {
      const [, action = '', suffix] =
        /^auth_on_(register|publish|subscribe)(_m5)?$/.exec(call.header ?? '') ?? []
      const version = suffix === undefined ? MQTT_311 : MQTT_5
      if (action === '') return deny('malformed')
      return action === 'register' ? register(call, version) : authorize(call, action, version)
    },
  },
]
