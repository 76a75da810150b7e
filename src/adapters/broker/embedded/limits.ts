/** What one client, one principal and the whole embedded broker may take up. */

export interface EmbeddedBrokerLimits {
  /** From accepting a socket to a whole CONNECT. */
  connectTimeoutMs: number
  /** How long the authority may think about one CONNECT before it counts as unavailable. */
  decisionTimeoutMs: number
  /** How long a client may leave its full socket unread before it is disconnected. */
  unsentTimeoutMs: number
  /** What a socket may send before its CONNECT is complete, the CONNECT included. */
  connectPacketBytes: number
  packetBytes: number
  clientIdBytes: number
  topicLevels: number
  /** The longest keepalive in seconds; also where a client asks for none. */
  keepAliveSeconds: number
  /** CONNECTs of one address, of which ten seconds' worth may come at once. */
  connectsPerSecondPerAddress: number
  /** CONNECTs that the authority thinks about; more than these are refused as `busy`. */
  undecidedConnects: number
  /** Messages of a session, and filters that it asks for; ten seconds' worth may come at once. */
  publishesPerSecond: number
  /** Sockets whose CONNECT hasn't been accepted yet; a fleet may sit behind one address. */
  undecidedSocketsPerAddress: number
  undecidedSockets: number
  sockets: number
  /** Live sessions of one principal, which it tells apart by the suffix of the client id. */
  sessionsPerPrincipal: number
  subscriptionsPerSession: number
  /** QoS 1 and 2 messages of a client that are not acknowledged: its Receive Maximum here. */
  inboundInFlightPerSession: number
  /** Topic aliases that a client may give in a connection. */
  topicAliasesPerSession: number
  /** What waits for a slow reader: above it QoS 0 is dropped, and QoS 1 and 2 cut the session. */
  unsentBytesPerSession: number
  /** What a client has got and not acknowledged; above it its session ends. */
  unacknowledgedBytesPerSession: number
  /** QoS 1 and 2 messages that wait for a client that is away, or that takes no more at once. */
  queuedMessagesPerSession: number
  queuedBytesPerSession: number
  /** What all queues hold together. */
  queuedBytes: number
  /** Durable sessions that are kept while their client is away; the oldest go first. */
  storedSessions: number
  storedSessionsPerPrincipal: number
  /** The longest Session Expiry Interval of MQTT 5 that is granted. */
  sessionExpirySeconds: number
  /** Above these a principal's message is delivered, but not retained. */
  retainedMessagesPerPrincipal: number
  retainedBytesPerPrincipal: number
}

export const DEFAULT_LIMITS: Readonly<EmbeddedBrokerLimits> = Object.freeze({
  connectTimeoutMs: 10_000,
  decisionTimeoutMs: 10_000,
  unsentTimeoutMs: 20_000,
  connectPacketBytes: 65_536,
  packetBytes: 262_144,
  clientIdBytes: 256,
  topicLevels: 32,
  keepAliveSeconds: 3_600,
  connectsPerSecondPerAddress: 2_000,
  undecidedConnects: 8_192,
  publishesPerSecond: 1_000,
  undecidedSocketsPerAddress: 16_384,
  undecidedSockets: 32_768,
  sockets: 200_000,
  sessionsPerPrincipal: 1_000,
  subscriptionsPerSession: 100,
  inboundInFlightPerSession: 4_096,
  topicAliasesPerSession: 32,
  unsentBytesPerSession: 1_048_576,
  unacknowledgedBytesPerSession: 16_777_216,
  queuedMessagesPerSession: 1_000,
  queuedBytesPerSession: 1_048_576,
  queuedBytes: 268_435_456,
  storedSessions: 50_000,
  storedSessionsPerPrincipal: 100,
  sessionExpirySeconds: 604_800,
  retainedMessagesPerPrincipal: 10_000,
  retainedBytesPerPrincipal: 16_777_216,
})
