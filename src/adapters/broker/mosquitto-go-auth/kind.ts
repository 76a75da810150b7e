/**
 * Mosquitto with the plugin mosquitto-go-auth, which asks about each connection and message.
 *
 * The HTTP backend of mosquitto-go-auth (3.0.0): `getuser`, `superuser` and `aclcheck`, as JSON or
 * form. A status from 200 to 299 allows; the body repeats it for `response_mode json`. Statuses
 * from 500 are errors, which the plugin does not cache.
 */
import type { BrokerKind } from '../broker-kind.ts'
import { topicHooks } from '../hooks/topic-hooks.ts'
import { mayPublish, mayReceive, maySubscribe } from '../topics.ts'

/** A number in JSON, text in a form. */
const READ = 1
const WRITE = 2
const READ_AND_WRITE = 3
const SUBSCRIBE = 4

const hooks = topicHooks({
  form: 'either',
  connect: 'mosquitto/user',
  superuser: 'mosquitto/superuser',
  acl: 'mosquitto/acl',
  allowed: '{"ok":true,"error":""}',
  denied: (reason) => `{"ok":false,"error":"${reason}"}`,
  may(rules, topic, { acc }) {
    const access = typeof acc === 'string' && /^\d$/.test(acc) ? Number(acc) : acc
    if (access === READ) return mayReceive(rules, topic)
    if (access === WRITE) return mayPublish(rules, topic)
    if (access === READ_AND_WRITE) return mayReceive(rules, topic) && mayPublish(rules, topic)
    return access === SUBSCRIBE && maySubscribe(rules, topic)
  },
})

export const mosquittoGoAuth: BrokerKind = {
  name: 'mosquitto-go-auth',
  hooks,
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
