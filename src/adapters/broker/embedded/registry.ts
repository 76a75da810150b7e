/** Who is connected: each live session under its name, its principal and its aedes client. */
import type { Client } from 'aedes'
import type { CutReason, Session } from '../port.ts'
import type { CompiledRules } from '../topics.ts'
import type { Will } from './internals.ts'
import type { EndReason } from './reason-codes.ts'

/** One accepted CONNECT, from the authority's answer until its socket is closed. */
export interface Connection {
  client: Client
  /** See client-id.ts. */
  name: string
  session: Session
  rules: CompiledRules
  will: Will | undefined
  /** The granted filters of the live session, with their QoS. */
  filters: Map<string, number>
  /** Whether aedes took the session and the authority was told that it opened. */
  registered: boolean
  /** Whether aedes let go of the session again, and whether its socket is closed. */
  unregistered: boolean
  socketClosed: boolean
  /** Why the broker ends the session, once it does. */
  ending: EndReason | 'stopping' | undefined
  /** Whether both are so, and who waits for that. */
  gone: boolean
  waiting: (() => void)[] | undefined
}

/** Resolves when the socket is closed and aedes has let go of the session. */
export function whenGone(connection: Connection): Promise<void> {
  if (connection.gone) return Promise.resolve()
  return new Promise((resolve) => (connection.waiting ??= []).push(resolve))
}

export function markGone(connection: Connection): void {
  connection.gone = true
  for (const resolve of connection.waiting ?? []) resolve()
}

/** Whether the session was opened and not closed yet. */
export const isOpen = ({ registered, unregistered }: Connection): boolean =>
  registered && !unregistered

/** Whether the service itself ends the session. */
export const isCut = (reason: Connection['ending']): reason is CutReason =>
  reason === 'administrative' || reason === 'not_authorized'

/** Whether the session's end also takes its stored state: nothing may be delivered any more. */
export const isForgotten = ({ ending }: Connection): boolean => isCut(ending)

/** On the client itself: a weak map of all clients costs more than all else that is kept here. */
const held = Symbol('connection')
type Holder = Client & { [held]?: Connection }

export class Registry {
  #byName = new Map<string, Connection>()
  #byPrincipal = new Map<string, Set<Connection>>()
  #all = new Set<Connection>()

  add(connection: Connection): void {
    const { principalId } = connection.session.grant
    const ofPrincipal = this.#byPrincipal.get(principalId) ?? new Set()
    this.#byPrincipal.set(principalId, ofPrincipal.add(connection))
    ;(connection.client as Holder)[held] = connection
    this.#all.add(connection)
  }

  /** Forgets the connection, but still knows the grant of its client: a will may come later. */
  remove(connection: Connection): void {
    const { principalId } = connection.session.grant
    const ofPrincipal = this.#byPrincipal.get(principalId)
    ofPrincipal?.delete(connection)
    if (ofPrincipal?.size === 0) this.#byPrincipal.delete(principalId)
    if (this.#byName.get(connection.name) === connection) this.#byName.delete(connection.name)
    this.#all.delete(connection)
  }

  /** Makes this connection the holder of its name, or returns who holds it still. */
  claimName(connection: Connection): Connection | undefined {
    const holder = this.#byName.get(connection.name)
    if (holder === undefined) this.#byName.set(connection.name, connection)
    return holder === connection ? undefined : holder
  }

  isHeld(name: string): boolean {
    return this.#byName.has(name)
  }

  ofClient(client: Client): Connection | undefined {
    return (client as Holder)[held]
  }

  ofPrincipal(principalId: string): readonly Connection[] {
    return [...(this.#byPrincipal.get(principalId) ?? [])]
  }

  countOf(principalId: string): number {
    return this.#byPrincipal.get(principalId)?.size ?? 0
  }

  all(): readonly Connection[] {
    return [...this.#all]
  }
}

/**
 * Remembers whom the service cut while a CONNECT was being decided: an answer that the authority
 * gave before the cut must not open a session after it.
 */
export class RecentCuts {
  #serial = 0
  #undecided = 0
  #serials = new Map<string, number>()

  /** The number of the latest cut. */
  get serial(): number {
    return this.#serial
  }

  /** Marks the begin of a decision; the answer is to be passed to `isCutSince`. */
  begin(): number {
    this.#undecided += 1
    return this.#serial
  }

  end(): void {
    this.#undecided -= 1
    if (this.#undecided === 0) this.#serials.clear()
  }

  note(principalId: string): void {
    this.#serial += 1
    if (this.#undecided > 0) this.#serials.set(principalId, this.#serial)
  }

  isCutSince(begun: number, principalId: string): boolean {
    return (this.#serials.get(principalId) ?? 0) > begun
  }
}
