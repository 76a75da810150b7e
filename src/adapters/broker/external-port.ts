/**
 * The port to external brokers. `RemoteAuthority` is what they ask of the service through hooks;
 * `ExternalBroker` is what the service asks of their admin interfaces.
 */
import type {
  BrokerAuthority,
  ConnectDecision,
  ConnectRequest,
  DisconnectReason,
  Grant,
} from './port.ts'

/**
 * The questions of external brokers through their hooks. Nobody reports the end of their sessions,
 * and a broker may ask again for a client's permissions at any time.
 */
export interface RemoteAuthority extends Pick<BrokerAuthority, 'connect' | 'refused'> {
  /**
   * The rights of a connected client, without its secret: from memory, else by one read. Never
   * throws, and records no connection.
   */
  authorize(username: string, clientId: string): Promise<ConnectDecision>
  /** Whether the same request would be granted exactly the same now, decided from memory alone. */
  stillGives(grant: Grant): boolean
  /**
   * Called for each CONNECT that the hooks let the broker accept, with the request of the decision.
   */
  admitted(request: ConnectRequest, grant: Grant, broker: string): void
}

/** When a newer secret was confirmed, by `performance.now()`, and by which client id, if known. */
export interface NewerSecret {
  since: number
  clientId?: string | undefined
}

/**
 * A place where a principal may have sessions: this process's embedded broker, or an external one.
 */
export interface RevokeTarget {
  /** `embedded/<node id>` or the broker's name in the brokers file. */
  readonly name: string
  /** Seconds within which a revocation provably takes effect. */
  readonly boundSeconds: number
  /** Evicts decisions about the principal from the broker's cache. Brokers without one lack it. */
  purge?(principalId: string): Promise<void>
  /**
   * Ends its sessions. With `newer`, which only external brokers get, only those that may have
   * started with an older secret.
   * @returns how many
   */
  disconnect(principalId: string, reason: DisconnectReason, newer?: NewerSecret): Promise<number>
  /** Whether the broker lists no session of the principal any more and would refuse a probe. */
  verify(principalId: string): Promise<boolean>
}

/**
 * A live session as reported by an external broker. A fact that it does not report is undefined.
 */
export interface BrokerConnection {
  /** The user name of the connection. */
  principalId: string
  clientId: string
  /** The peer's IP address, without a port. */
  address?: string | undefined
  /** As in `ConnectRequest`. */
  protocolVersion?: number | undefined
  /** Milliseconds since the Unix epoch. */
  connectedAt?: number | undefined
  /** The cluster node that holds it. */
  node?: string | undefined
}

/** The functions of the service that the admin adapter of a broker needs. */
export interface ExternalBrokerOptions {
  /** The broker's name in the brokers file. */
  name: string
  url: string
  username: string
  password: string
  /** PEM of the CA to trust, if it is not one of the system's. */
  ca?: string | undefined
  timeoutMs?: number
  /** The rights of a principal, without its secret; `bad_credentials` if it does not exist. */
  authorize(username: string, clientId: string): Promise<ConnectDecision>
}

/** The functions that the admin adapter of a broker that stores credentials needs besides. */
export interface CredentialStoreOptions extends ExternalBrokerOptions {
  /** Whether a client of the broker is a principal of the service; others are not touched. */
  isPrincipal(username: string): boolean
  /** Called when the broker could not be brought up to date; it is retried. */
  onFailure(error: unknown): void
}

/** The admin interface of an external broker. */
export interface ExternalBroker extends RevokeTarget {
  /**
   * Starts connecting, for adapters that keep a connection. An unreachable broker fails later
   * calls, not this one.
   */
  start?(): void
  stop?(): Promise<void>
  /** Live sessions, of one principal or of all. */
  connections(principalId?: string): Promise<BrokerConnection[]>
  /**
   * How many milliseconds a new session may be missing from the list of all sessions; undefined if
   * the list is exact.
   */
  readonly listLagMs?: number
  /** Whether a principal has a live session. */
  holds(principalId: string): Promise<boolean>
  /**
   * For brokers that store rules themselves: updates the rules of one principal, or of all, without
   * ending sessions.
   */
  regrant?(principalId?: string): Promise<void>
}

/** A broker that stores passwords and rules of principals itself, and decides alone. */
export interface CredentialStore extends ExternalBroker {
  /**
   * Sets the principal's only password with its mark, and its role. The old password stops working
   * and a live session ends.
   * @param until by `performance.now()`: fails instead of setting it later
   * @returns false if the principal no longer exists
   */
  setPassword(principalId: string, password: string, mark: string, until?: number): Promise<boolean>
  /** The mark of the stored password; undefined if there is none. */
  passwordMark(principalId: string): Promise<string | undefined>
  regrant(principalId?: string): Promise<void>
}
