/**
 * The HTTP backend of mosquitto-go-auth (3.0.0): `getuser`, `superuser` and `aclcheck`, as JSON or
 * form. A status from 200 to 299 allows; the body repeats it for `response_mode json`. Statuses
 * from 500 are errors, which the plugin does not cache.
 */
import { topicHooks } from '../hooks/topic-hooks.ts'
import { mayPublish, mayReceive, maySubscribe } from '../topics.ts'

/** A number in JSON, text in a form. */
const READ = 1
const WRITE = 2
const READ_AND_WRITE = 3
const SUBSCRIBE = 4

export const mosquittoGoAuthHooks = topicHooks({
  kind: 'mosquitto-go-auth',
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
