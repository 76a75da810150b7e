/** Configuration variables of sessions of the embedded broker: limits, and what outlasts it. */
import { choice, integer } from './kinds.ts'

export const mqttLimitVariables = {
  mqttDurable: choice(
    'MOORING_MQTT_DURABLE',
    ['off', 'workspaces', 'all'],
    'off',
    'Whether sessions of the embedded broker, their queues and retained messages are stored in the database, and survive a restart: of no workspace, of those that ask for it (mqtt_durable), or of all.',
  ),
  mqttPacketBytes: integer(
    'MOORING_MQTT_MAX_PACKET_BYTES',
    262_144,
    [1_024, 16_777_216],
    'The largest packet that an MQTT client may send.',
  ),
  mqttKeepAliveSeconds: integer(
    'MOORING_MQTT_MAX_KEEPALIVE_S',
    3_600,
    [10, 65_535],
    'The longest keepalive of an MQTT client, in seconds. It also applies where one asks for none.',
  ),
  mqttTopicLevels: integer(
    'MOORING_MQTT_MAX_TOPIC_LEVELS',
    32,
    [4, 90],
    'The most levels of an MQTT topic or filter.',
  ),
  mqttSubscriptions: integer(
    'MOORING_MQTT_MAX_SUBSCRIPTIONS',
    100,
    [1, 100_000],
    'The most subscriptions of an MQTT session.',
  ),
  mqttSessions: integer(
    'MOORING_MQTT_MAX_SESSIONS',
    1_000,
    [1, 100_000],
    'The most MQTT sessions of a device or an MQTT login at once.',
  ),
  mqttInFlight: integer(
    'MOORING_MQTT_MAX_INFLIGHT',
    4_096,
    [1, 65_535],
    'The most messages of QoS 2 that an MQTT session may leave unfinished.',
  ),
  mqttQueuedMessages: integer(
    'MOORING_MQTT_MAX_QUEUED_MESSAGES',
    1_000,
    [1, 1_000_000],
    'The most messages that wait for an MQTT client that is away or does not acknowledge.',
  ),
  mqttPublishRate: integer(
    'MOORING_MQTT_MAX_PUBLISH_RATE',
    1_000,
    [1, 1_000_000],
    'Messages that an MQTT session may publish in a second. Ten times as many may come at once; beyond that the broker reads more slowly.',
  ),
  mqttConnectRate: integer(
    'MOORING_MQTT_MAX_CONNECT_RATE',
    2_000,
    [1, 1_000_000],
    'MQTT connections that one address may open in a second. Ten times as many may come at once. Behind a proxy all have its address.',
  ),
  mqttUndecidedConnects: integer(
    'MOORING_MQTT_MAX_UNDECIDED_CONNECTS',
    8_192,
    [1, 1_000_000],
    'MQTT connections that may wait for their decision at once. More are refused as busy.',
  ),
}
