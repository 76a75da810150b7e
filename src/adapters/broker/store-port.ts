/**
 * The port between a broker and the place where its sessions, their queues and retained messages
 * outlast the process. Calls only note what has changed, in order; the store writes it in batches,
 * and says when it is committed.
 */
import type { Grant } from './port.ts'

/** A message as it is kept. */
export interface KeptMessage {
  topic: string
  payload: Buffer
  qos: 0 | 1 | 2
  /** The properties that subscribers get as they are, in the encoding of MQTT 5. */
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
  /** As it was asked for, with `$share` and its group. */
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
  /** Of its latest connection, see `Session`. */
  incarnation: number
  /** Seconds that it is kept after its connection. */
  expirySeconds: number
  subscriptions: readonly KeptSubscription[]
  will: KeptWill | undefined
  /** When its client left, in milliseconds since the Unix epoch; 0: it is connected. */
  awayAt: number
  /** Queued messages from this number on have never been sent; 0: any may have been. */
  unsentFrom: number
}

/** A QoS 1 or 2 message of a session that its client has not acknowledged. */
export interface KeptDelivery extends KeptMessage {
  /** Orders the messages of the session. */
  seq: number
  packetId: number
  retain: boolean
  /** Subscription identifiers; undefined: none. */
  identifiers: readonly number[] | undefined
  /** The shared subscription that it came through, as its client asked for it. */
  share: string | undefined
  /** Whether its client answered with PUBREC, and is owed a PUBREL. */
  isReleased: boolean
}

export interface KeptRetained extends KeptMessage {
  workspaceId: string
  /** Whose it is; undefined: the service's own. */
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
  /** The longest away first. */
  sessions: RestoredSession[]
  retained: KeptRetained[]
}

export interface StoreEvents {
  /** There is room again. */
  drained(): void
  /** Another process has taken the store: nothing of this one will be committed any more. */
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
  /** Counts what was noted. */
  readonly writes: number
  /** Whether so much waits that nobody should cause more of it. */
  readonly isFull: boolean
  /** Whether it keeps what belongs to this workspace. */
  keeps(workspaceId: string): boolean
  /**
   * Takes the store for this process, and reads what is in it. Sessions of principals that are not
   * admitted any more are deleted.
   */
  open(events: StoreEvents): Promise<Restored>
  /** Writes what was noted, as far as that is possible in a few seconds. */
  close(): Promise<void>
  /** Calls back once everything noted so far is committed, in the order of the calls. */
  after(run: () => void): void
  newId(): number
  /** Counts one more change, and returns where it is noted. */
  note(): StoreNotes
}
