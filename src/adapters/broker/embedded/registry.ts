/** The live sessions, by name, by principal and by aedes client. */
import type { Client } from 'aedes'
import type { DisconnectReason, Session } from '../port.ts'
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
  /** Whether aedes registered the session and the authority was notified that it opened. */
  registered: boolean
  /** Whether aedes unregistered the session, and whether its socket is closed. */
  unregistered: boolean
  socketClosed: boolean
  /** Why the broker ends the session, once it does. */
  ending: EndReason | 'stopping' | undefined
  /** Whether both are true, and the callers that wait for it. */
  gone: boolean
  waiting: (() => void)[] | undefined
}

/** Resolves when the socket is closed and aedes has unregistered the session. */
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
export const isByService = (reason: Connection['ending']): reason is DisconnectReason =>
  reason === 'administrative' || reason === 'not_authorized'

/** Whether the session's end also deletes its stored state: nothing may be delivered any more. */
export const deletesState = ({ ending }: Connection): boolean => isByService(ending)

/** Stored on the client itself: a WeakMap of all clients costs more than the rest of this file. */
const held = Symbol('connection')
type RegisteredClient = Client & { [held]?: Connection }

export class Registry {
  #byName = new Map<string, Connection>()
  #byPrincipal = new Map<string, Set<Connection>>()
  #all = new Set<Connection>()

  add(connection: Connection): void {
    const { principalId } = connection.session.grant
    const ofPrincipal = this.#byPrincipal.get(principalId) ?? new Set()
    this.#byPrincipal.set(principalId, ofPrincipal.add(connection))
    ;(connection.client as RegisteredClient)[held] = connection
    this.#all.add(connection)
  }

  /** Removes the connection; `ofClient` still finds it, since its will may be published later. */
  remove(connection: Connection): void {
    const { principalId } = connection.session.grant
    const ofPrincipal = this.#byPrincipal.get(principalId)
    ofPrincipal?.delete(connection)
    if (ofPrincipal?.size === 0) this.#byPrincipal.delete(principalId)
    if (this.#byName.get(connection.name) === connection) this.#byName.delete(connection.name)
    this.#all.delete(connection)
  }

  /** Gives the name to this connection, or returns the connection that still has it. */
  claimName(connection: Connection): Connection | undefined {
    const owner = this.#byName.get(connection.name)
    if (owner === undefined) this.#byName.set(connection.name, connection)
    return owner === connection ? undefined : owner
  }

  isHeld(name: string): boolean {
    return this.#byName.has(name)
  }

  ofClient(client: Client): Connection | undefined {
    return (client as RegisteredClient)[held]
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
 * The principals that the service disconnected while a CONNECT was being decided: a decision that
 * the authority made before the disconnect must not open a session after it.
 */
export class RecentDisconnects {
  #serial = 0
  #undecided = 0
  #serials = new Map<string, number>()

  /** The number of the latest disconnect. */
  get serial(): number {
    return this.#serial
  }

  /** Marks the start of a decision. @returns the number to pass to `isDisconnectedSince` */
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

  isDisconnectedSince(begun: number, principalId: string): boolean {
    return (this.#serials.get(principalId) ?? 0) > begun
  }
}
