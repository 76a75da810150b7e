/** NanoMQ, which asks about each connection and topic. */
import type { BrokerKind } from '../broker-kind.ts'
import { nanomqHooks } from './hooks.ts'

export const nanomq: BrokerKind = {
  name: 'nanomq',
  hooks: nanomqHooks,
  boundSeconds: 3,
  advice: {
    authentication: 'Set auth.allow_anonymous = false and auth.no_match = deny.',
    topic_rules: 'Set auth.no_match = deny, and configure auth.http_auth.acl_req.',
  },
}
