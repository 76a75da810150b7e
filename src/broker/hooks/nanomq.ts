/**
 * The HTTP authentication of NanoMQ (0.22): the parameters that its configuration names, as JSON.
 * Forms are refused: NanoMQ does not escape them, so a client id could bring a second `username`.
 * Only status 200 is a yes. A SUBSCRIBE is one question, its filters joined by commas.
 */
import { compiledOnce, mayPublish, maySubscribe } from '../topics.ts'
import { admit, clientOf, rightsOf } from './decisions.ts'
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
      const { fields } = call
      const username = textOf(fields, 'username')
      const clientId = textOf(fields, 'clientid')
      const topic = textOf(fields, 'topic')
      if (username === undefined || clientId === undefined || topic === undefined) {
        return deny('malformed')
      }
      const decision = await rightsOf(call, username, clientId)
      if (!decision.accepted) return deny(denialOf(decision.reason))
      const rules = compiledOnce(decision.grant.rules)
      const access = textOf(fields, 'access')
      // Never as one filter with commas in it: a `#` of a rule would take the second one along.
      const maySubscribeAll = (): boolean =>
        topic.split(',').every((each) => maySubscribe(rules, each))
      const may =
        (access === PUBLISH && mayPublish(rules, topic)) ||
        (access === SUBSCRIBE && maySubscribeAll())
      return may ? allow : deny('refused')
    },
  },
]
