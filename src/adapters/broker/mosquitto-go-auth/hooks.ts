/**
 * The HTTP backend of mosquitto-go-auth (3.0.0): `getuser`, `superuser` and `aclcheck`, as JSON or
 * form. A status from 200 to 299 allows; the body repeats it for `response_mode json`. Statuses
 * from 500 are errors, which the plugin does not cache.
 */
import { mayPublish, mayReceive, maySubscribe } from '../topics.ts'
import { admit, clientOf, decideTopic } from '../hooks/decisions.ts'
import { type Refusal, refusalOf, type Hook, json, SMALL_BODY, statusOf } from '../hooks/hook.ts'

const allow = json(200, '{"ok":true,"error":""}')
const deny = (reason: Refusal) => json(statusOf[reason], `{"ok":false,"error":"${reason}"}`)

const common = {
  kind: 'mosquitto-go-auth',
  allowsByStatus: true,
  form: 'either',
  bodyLimit: SMALL_BODY,
  deny,
} as const

/** A number in JSON, text in a form. */
const READ = 1
const WRITE = 2
const READ_AND_WRITE = 3
const SUBSCRIBE = 4

export const mosquittoGoAuthHooks: readonly Hook[] = [
  {
    ...common,
    path: 'mosquitto/user',
    async decide(call) {
      const client = clientOf(call.fields, { clientId: 'clientid', address: 'ipaddress' })
      const decision = await admit(call, client)
      return decision.accepted ? allow : deny(refusalOf(decision.reason))
    },
  },
  {
    ...common,
    path: 'mosquitto/superuser',
    // Nobody bypasses the rules.
    decide: () => Promise.resolve(deny('refused')),
  },
  {
    ...common,
    path: 'mosquitto/acl',
    async decide(call) {
      const { acc } = call.fields
      const access = typeof acc === 'string' && /^\d$/.test(acc) ? Number(acc) : acc
      const denial = await decideTopic(call, (rules, topic) => {
        if (access === READ) return mayReceive(rules, topic)
        if (access === WRITE) return mayPublish(rules, topic)
        if (access === READ_AND_WRITE) return mayReceive(rules, topic) && mayPublish(rules, topic)
        return access === SUBSCRIBE && maySubscribe(rules, topic)
      })
      return denial === undefined ? allow : deny(denial)
    },
  },
]
