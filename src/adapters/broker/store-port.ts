/**
 * The port between a broker and the store that keeps its sessions, their queues and retained
 * messages beyond the process. Calls only note changes, in order; the store writes them in batches,
 * and reports when they are committed.
 */
import type { Grant } from './port.ts'

/** A message as it is kept. */
export interface KeptMessage {
  topic: string
  payload: Buffer
  qos: 0 | 1 | 2
  /** The properties that are forwarded to subscribers unchanged, in the encoding of MQTT 5. */
  properties: Buffer
  /** Milliseconds since the Unix epoch; 0: never. */
  expiresAt: number
}

/** The key of a stored session. */
export interface SessionKey {
  /** The public id of its workspace (`ws_…`). */
  workspaceId: string
  /** Unique in a store. */
  id: number
}

export interface KeptSubscription {
  /** The filter of the SUBSCRIBE, with `$share` and the group. */
  topic: string
  qos: 0 | 1 | 2
  noLocal?: boolean
  retainAsPublished?: boolean
  identifier?: number | undefined
}

export interface KeptWill extends KeptMessage {
  retain: boolean
  responseTopic: string | undefined
  /** Seconds. */
  delay: number
  /** Seconds from its publication on; undefined: it does not expire. */
  expiry: number | undefined
}

export interface KeptSession extends SessionKey {
  principalId: string
  clientId: string
  credentialVersion: number
  protocolVersion: number
  /** The incarnation of its latest connection, see `Session`. */
  incarnation: number
  /** Seconds that it is kept after its connection has ended. */
  expirySeconds: number
  subscriptions: readonly KeptSubscription[]
  will: KeptWill | undefined
  /** When its client left, in milliseconds since the Unix epoch; 0: it is connected. */
  awayAt: number
  /** Queued messages from this number on were never sent; 0: each may have been sent. */
  unsentFrom: number
}

/** A QoS 1 or 2 message of a session that its client has not acknowledged. */
export interface KeptDelivery extends KeptMessage {
  /** The position of the message in the queue of the session. */
  seq: number
  packetId: number
  retain: boolean
  /** Subscription identifiers; undefined: none. */
  identifiers: readonly number[] | undefined
  /** The filter of the shared subscription that it came through, with `$share` and the group. */
  share: string | undefined
  /** Whether its client has answered with PUBREC, so that a PUBREL is sent next. */
  isReleased: boolean
}

export interface KeptRetained extends KeptMessage {
  workspaceId: string
  /** The principal that published it; undefined: the service published it. */
  principalId: string | undefined
}

export interface RestoredSession extends KeptSession {
  /** The rights that its principal has now. */
  grant: Grant
  /** In the order of `seq`. */
  deliveries: KeptDelivery[]
  /** Packet identifiers of its client's QoS 2 messages that wait for PUBREL. */
  received: number[]
}

export interface Restored {
  /** In the order in which their clients left. */
  sessions: RestoredSession[]
  retained: KeptRetained[]
}

export interface StoreEvents {
  /** The store has room for changes again. */
  drained(): void
  /** Another process has taken the store: changes of this process are not committed any more. */
  lost(): void
}

/** Receives the changes of sessions. */
export interface StoreNotes {
  save(session: KeptSession): void
  /** Deletes a session with everything in it. */
  drop(session: SessionKey): void
  queue(session: SessionKey, delivery: KeptDelivery): void
  /** A PUBREL takes the place of a queued message. */
  release(session: SessionKey, seq: number): void
  unqueue(session: SessionKey, seq: number): void
  receive(session: SessionKey, packetId: number): void
  unreceive(session: SessionKey, packetId: number): void
  /** Keeps a message in place of its topic's earlier one. */
  retain(message: KeptRetained): void
  unretain(workspaceId: string, topic: string): void
}

export interface BrokerStore {
  /** The number of noted changes. */
  readonly writes: number
  /** Whether so many changes wait that clients should cause no more of them. */
  readonly isFull: boolean
  /** Whether it stores the sessions and retained messages of this workspace. */
  keeps(workspaceId: string): boolean
  /**
   * Takes the store for this process, and reads its contents. Sessions of principals that are not
   * admitted any more are deleted.
   */
  open(events: StoreEvents): Promise<Restored>
  /** Writes the noted changes, and gives up after a few seconds. */
  close(): Promise<void>
  /** Calls `run` once all changes so far are committed, in the order of the calls. */
  after(run: () => void): void
  newId(): number
  /** Counts one more change. @returns the methods that note it */
  note(): StoreNotes
}
