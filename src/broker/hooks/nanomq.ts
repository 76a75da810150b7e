/**
 * The HTTP authentication of NanoMQ (0.22): the parameters that its configuration names, as JSON.
 * Forms are refused: NanoMQ does not escape them, so a client id could bring a second `username`.
 * Only status 200 is a yes. A SUBSCRIBE is one question, its filters joined by commas.
 */
import { mayPublish, maySubscribe } from '../topics.ts'
import { admit, clientOf, decideTopic } from './decisions.ts'
import { type Denial, denialOf, type Hook, json, SMALL_BODY, statusOf, textOf } from './hook.ts'

const allow = json(200, '{}')
const deny = (reason: Denial) => json(statusOf[reason], '{}')

const common = { kind: 'nanomq', form: 'json', bodyLimit: SMALL_BODY, deny } as const

const SUBSCRIBE = '1'
const PUBLISH = '2'

export const nanomqHooks: readonly Hook[] = [
  {
    ...common,
    path: 'nanomq/auth',
    async decide(call) {
      const client = clientOf(call.fields, { clientId: 'clientid', address: 'ipaddress' })
      const decision = await admit(call, client)
      return decision.accepted ? allow : deny(denialOf(decision.reason))
    },
  },
  {
    ...common,
    path: 'nanomq/superuser',
    // A yes would spare NanoMQ every further question.
    decide: () => Promise.resolve(deny('refused')),
  },
  {
    ...common,
    path: 'nanomq/acl',
    async decide(call) {
      const access = textOf(call.fields, 'access')
      const denial = await decideTopic(call, (rules, topic) => {
        if (access === PUBLISH) return mayPublish(rules, topic)
        // Never as one filter with commas in it: a `#` of a rule would take the second one along.
        return access === SUBSCRIBE && topic.split(',').every((each) => maySubscribe(rules, each))
      })
      return denial === undefined ? allow : deny(denial)
    },
  },
]
