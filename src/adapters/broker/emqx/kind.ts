/**
 * EMQX 5 and 6: calls the hook at CONNECT and stores its response; administered by its API, with an
 * API key.
 */
import { type BrokerKind, withPath } from '../broker-kind.ts'
import { BOUND_SECONDS, createEmqx } from './admin.ts'
import { emqxHooks } from './hooks.ts'
import { emqxSettings } from './settings.ts'

export const emqx: BrokerKind = {
  name: 'emqx',
  settings: emqxSettings,
  hooks: emqxHooks,
  admin: {
    schemes: ['http', 'https'],
    open: (options) => createEmqx({ ...options, url: withPath(options.url, '/api/v5') }),
  },
  boundSeconds: BOUND_SECONDS,
  advice: {
    authentication:
      'Keep only the HTTP authenticator in the authentication chain, so that no other one ' +
      'decides.',
    hook_failure:
      'Put no authenticator behind the HTTP one: what it cannot answer is passed on, and allowed at the end of a chain that denies nothing.',
    topic_rules:
      'Set authorization.no_match = deny (its default before 6.0 is allow), and remove the file source that allows all.',
    system_topics: 'Deny $SYS/# to all but the dashboard, and set authorization.no_match = deny.',
    revoke:
      'Give the brokers file an API key, and set authentication.node_cache off or let this service reset it.',
    tls_versions: 'Set listeners.ssl.default.ssl_options.versions = [tlsv1.3, tlsv1.2].',
  },
}
