/** VerneMQ with its webhooks, which ask about each connection, publish and subscribe. */
import type { BrokerKind } from '../broker-kind.ts'
import { vernemqHooks } from './hooks.ts'

export const vernemq: BrokerKind = {
  name: 'vernemq',
  hooks: vernemqHooks,
  boundSeconds: 3,
  advice: {
    authentication: 'Set allow_anonymous = off, and switch plugins.vmq_passwd off.',
    topic_rules: 'Switch plugins.vmq_acl off, and register auth_on_publish and auth_on_subscribe.',
    revoke: 'Let the webhooks answer without cache-control.',
  },
}
