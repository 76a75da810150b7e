/** Mosquitto with the plugin mosquitto-go-auth, which asks about each connection and message. */
import type { BrokerKind } from '../broker-kind.ts'
import { mosquittoGoAuthHooks } from './hooks.ts'

export const mosquittoGoAuth: BrokerKind = {
  name: 'mosquitto-go-auth',
  hooks: mosquittoGoAuthHooks,
  boundSeconds: 3,
  advice: {
    authentication: 'Set allow_anonymous false, and auth_opt_backends http with no other backend.',
    hook_failure: 'Keep one backend, and auth_opt_disable_superuser true.',
    topic_rules:
      'Set auth_opt_disable_superuser true, and load no acl_file in addition to the plugin.',
    revoke: 'Set auth_opt_cache false, or set its times shorter than a revocation may take.',
    tls_versions: 'Set tls_version tlsv1.2.',
  },
}
