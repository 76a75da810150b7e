/** Builds the embedded broker from the configuration. */
import { EmbeddedBroker } from '../adapters/broker/embedded/broker.ts'
import type { EmbeddedBrokerLimits } from '../adapters/broker/embedded/limits.ts'
import type { BrokerPorts } from '../adapters/broker/embedded/listeners.ts'
import type { UsageMeters } from '../features/metering/usage/usage-meters.ts'
import type { CredentialAuthority } from '../features/mqtt/credentials/authority.ts'
import { DurableStore } from '../features/mqtt/durable-sessions/session-batches.ts'
import { StoredWorkspaces } from '../features/mqtt/durable-sessions/stored-workspaces.ts'
import type { Config } from '../platform/config/config.ts'
import type { ChangeFeed } from '../platform/database/change-feed.ts'
import type { Database } from '../platform/database/connect.ts'
import type { Log } from '../platform/log.ts'
import type { Certificate } from './certificate.ts'
import { warnWith } from './warnings.ts'

export interface EmbeddedBrokerParts {
  config: Config
  /** Whether MQTT clients connect to this process. */
  hasListeners: boolean
  database: Database
  feed: ChangeFeed
  certificate: Certificate
  log: Log
}

const limitsOf = (config: Config): Partial<EmbeddedBrokerLimits> => ({
  packetBytes: config.mqttPacketBytes,
  keepAliveSeconds: config.mqttKeepAliveSeconds,
  topicLevels: config.mqttTopicLevels,
  subscriptionsPerSession: config.mqttSubscriptions,
  sessionsPerPrincipal: config.mqttSessions,
  inboundInFlightPerSession: config.mqttInFlight,
  queuedMessagesPerSession: config.mqttQueuedMessages,
  publishesPerSecond: config.mqttPublishRate,
  connectsPerSecondPerAddress: config.mqttConnectRate,
  undecidedConnects: config.mqttUndecidedConnects,
})

/** Without a listener the broker only serves the service itself. */
const portsOf = ({ config, hasListeners }: EmbeddedBrokerParts): BrokerPorts =>
  config.embeddedBroker === 'off' || !hasListeners
    ? {}
    : {
        tcp: config.mqttPort,
        tls: config.mqttTlsPort,
        ws: config.mqttWsPort,
        wss: config.mqttWssPort,
      }

/** Where MQTT sessions outlast the process, if they do. */
function storeOf(parts: EmbeddedBrokerParts, authority: CredentialAuthority, usage: UsageMeters) {
  const { config, database: db, feed, hasListeners } = parts
  const { embeddedBroker, mqttDurable } = config
  if (!hasListeners || embeddedBroker === 'off' || mqttDurable === 'off') return undefined
  const warn = warnWith(parts.log)
  const workspaces = mqttDurable === 'all' ? undefined : new StoredWorkspaces({ db, feed, warn })
  return new DurableStore({ db, authority, usage, workspaces, warn })
}

/** Not started yet. */
export const brokerOf = (
  parts: EmbeddedBrokerParts,
  authority: CredentialAuthority,
  usage: UsageMeters,
) => {
  const { config, certificate, log } = parts
  const broker = new EmbeddedBroker({
    host: config.mqttHost,
    ports: portsOf(parts),
    tls: certificate.present(),
    limits: limitsOf(config),
    store: storeOf(parts, authority, usage),
    log: {
      warn: (details, message) => log('warn', message, { ...details }),
      error: (details, message) => log('error', message, { ...details }),
    },
  })
  certificate.onRenewed((identity) => broker.renewCertificate(identity))
  return broker
}
