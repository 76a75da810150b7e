/** Limits of one client, of one principal and of the whole embedded broker. */

export const DEFAULT_LIMITS = Object.freeze({
  /** From accepting a socket to a whole CONNECT. */
  connectTimeoutMs: 10_000,
  /** How long the authority may take to decide on a CONNECT before it counts as unavailable. */
  decisionTimeoutMs: 10_000,
  /** How long a client may leave its full socket unread before it is disconnected. */
  unsentTimeoutMs: 20_000,
  /** Bytes that a socket may send before its CONNECT is complete, the CONNECT included. */
  connectPacketBytes: 65_536,
  packetBytes: 262_144,
  clientIdBytes: 256,
  topicLevels: 32,
  /** The longest keepalive in seconds; clients that ask for none have it, too. */
  keepAliveSeconds: 3_600,
  /** CONNECTs of one address in a second; a burst may have ten times as many. */
  connectsPerSecondPerAddress: 2_000,
  /** CONNECTs that wait for the authority's decision; more than these are refused as `busy`. */
  undecidedConnects: 8_192,
  /** Messages and requested filters of a session in a second; a burst may have ten times more. */
  publishesPerSecond: 1_000,
  /** Sockets whose CONNECT hasn't been accepted yet; a fleet may sit behind one address. */
  undecidedSocketsPerAddress: 16_384,
  undecidedSockets: 32_768,
  sockets: 200_000,
  /** Live sessions of one principal; the suffix of the client id distinguishes them. */
  sessionsPerPrincipal: 1_000,
  subscriptionsPerSession: 100,
  /** QoS 1 and 2 messages of a client that are not acknowledged: its Receive Maximum here. */
  inboundInFlightPerSession: 4_096,
  /** Topic aliases that a client may give in a connection. */
  topicAliasesPerSession: 32,
  /** Unsent output of a session: above it QoS 0 is dropped, and QoS 1 and 2 end the session. */
  unsentBytesPerSession: 1_048_576,
  /** Bytes that a client has received and not acknowledged; above it its session ends. */
  unacknowledgedBytesPerSession: 16_777_216,
  /** QoS 1 and 2 messages for a client that is away, or that has to acknowledge others first. */
  queuedMessagesPerSession: 1_000,
  queuedBytesPerSession: 1_048_576,
  /** Bytes that all queues hold together. */
  queuedBytes: 268_435_456,
  /** Durable sessions that are kept while their client is away; the oldest go first. */
  storedSessions: 50_000,
  storedSessionsPerPrincipal: 100,
  /** The longest Session Expiry Interval of MQTT 5 that is granted. */
  sessionExpirySeconds: 604_800,
  /** Above these a principal's message is delivered, but not retained. */
  retainedMessagesPerPrincipal: 10_000,
  retainedBytesPerPrincipal: 16_777_216,
})

export type EmbeddedBrokerLimits = Record<keyof typeof DEFAULT_LIMITS, number>
