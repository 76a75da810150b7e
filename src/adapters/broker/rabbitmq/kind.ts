/** RabbitMQ with its MQTT plugin: asks the hooks; administered through the management API. */
import { type BrokerKind, withPath } from '../broker-kind.ts'
import { BOUND_SECONDS, createRabbitmq } from './admin.ts'
import { rabbitmqHooks } from './hooks.ts'
import { type RabbitmqEntry, rabbitmqSettings } from './settings.ts'

export const rabbitmq: BrokerKind = {
  name: 'rabbitmq',
  settings: rabbitmqSettings,
  hooks: rabbitmqHooks,
  admin: {
    schemes: ['http', 'https'],
    open: (options, { vhost }: RabbitmqEntry) =>
      createRabbitmq({ ...options, url: withPath(options.url, '/api'), vhost }),
  },
  boundSeconds: BOUND_SECONDS,
  unusable: ({ name, admin, mqtt }) =>
    admin !== undefined && mqtt?.username === admin.username
      ? `gives ${name} one user name for admin and mqtt: RabbitMQ would hold the service to the \
rights of the first, by which it cannot subscribe`
      : undefined,
  advice: {
    authentication:
      'Set auth_backends.1 = http and no second backend, and keep mqtt.allow_anonymous = false.',
    topic_rules: 'Set auth_http.topic_path, and auth_backends.1 = http with no second backend.',
    revoke:
      'Load rabbitmq_management, give the brokers file its address, and leave rabbitmq_auth_backend_cache out.',
    tls_versions: 'Set ssl_options.versions.1 = tlsv1.3 and ssl_options.versions.2 = tlsv1.2.',
  },
}
