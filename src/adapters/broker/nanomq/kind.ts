/**
 * NanoMQ, which asks about each connection and topic.
 *
 * NanoMQ's HTTP authentication (0.22): the parameters named in its configuration, as JSON. Forms
 * are refused because NanoMQ does not escape them: a client id could inject a second `username`.
 * Only status 200 allows. A SUBSCRIBE is one call with comma-separated filters.
 */
import type { BrokerKind } from '../broker-kind.ts'
import { textOf } from '../hooks/hook.ts'
import { topicHooks } from '../hooks/topic-hooks.ts'
import { mayPublish, maySubscribe } from '../topics.ts'

const SUBSCRIBE = '1'
const PUBLISH = '2'

const hooks = topicHooks({
  form: 'json',
  connect: 'nanomq/auth',
  superuser: 'nanomq/superuser',
  acl: 'nanomq/acl',
  allowed: '{}',
  denied: () => '{}',
  may(rules, topic, fields) {
    const access = textOf(fields, 'access')
    if (access === PUBLISH) return mayPublish(rules, topic)
    // Never as a single filter containing commas: a rule's `#` would cover the second one as well.
    return access === SUBSCRIBE && topic.split(',').every((each) => maySubscribe(rules, each))
  },
})

export const nanomq: BrokerKind = {
  name: 'nanomq',
  hooks,
  boundSeconds: 3,
  advice: {
    authentication: 'Set auth.allow_anonymous = false and auth.no_match = deny.',
    topic_rules: 'Set auth.no_match = deny, and configure auth.http_auth.acl_req.',
  },
}
