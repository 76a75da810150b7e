/**
 * NanoMQ's HTTP authentication (0.22): the parameters named in its configuration, as JSON. Forms
 * are refused because NanoMQ does not escape them: a client id could inject a second `username`.
 * Only status 200 allows. A SUBSCRIBE is one call with comma-separated filters.
 */
import { mayPublish, maySubscribe } from '../topics.ts'
import { admit, clientOf, decideTopic } from '../hooks/decisions.ts'
import {
  type Refusal,
  refusalOf,
  type Hook,
  json,
  SMALL_BODY,
  statusOf,
  textOf,
} from '../hooks/hook.ts'

const allow = json(200, '{}')
const deny = (reason: Refusal) => json(statusOf[reason], '{}')

const common = {
  kind: 'nanomq',
  allowsByStatus: true,
  form: 'json',
  bodyLimit: SMALL_BODY,
  deny,
} as const

const SUBSCRIBE = '1'
const PUBLISH = '2'

export const nanomqHooks: readonly Hook[] = [
  {
    ...common,
    path: 'nanomq/auth',
    async decide(call) {
      const client = clientOf(call.fields, { clientId: 'clientid', address: 'ipaddress' })
      const decision = await admit(call, client)
      return decision.accepted ? allow : deny(refusalOf(decision.reason))
    },
  },
  {
    ...common,
    path: 'nanomq/superuser',
    // Allowing would exempt the client from all further checks.
    decide: () => Promise.resolve(deny('refused')),
  },
  {
    ...common,
    path: 'nanomq/acl',
    async decide(call) {
      const access = textOf(call.fields, 'access')
      const denial = await decideTopic(call, (rules, topic) => {
        if (access === PUBLISH) return mayPublish(rules, topic)
        // Never as a single filter containing commas: a rule's `#` would cover the second one as
        // well.
        return access === SUBSCRIBE && topic.split(',').every((each) => maySubscribe(rules, each))
      })
      return denial === undefined ? allow : deny(denial)
    },
  },
]
