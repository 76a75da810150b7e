/**
 * Mosquitto with its dynamic security plugin: for small fleets, since the plugin writes its whole
 * file at each change and keeps one password for each client. What a principal may is held by the
 * broker itself, so it decides alone, also while the service is away.
 */
import { KeyedQueue } from '../../lib/keyed-queue.ts'
import { BrokerFailure } from '../admin/failure.ts'
import type { BrokerConnection, ExternalBroker, ExternalBrokerOptions } from '../external-port.ts'
import { clientOptionsOf, ControlChannel } from './control-channel.ts'
import { Plugin, type PluginRole } from './plugin.ts'
import { type Held, Principals, roleOf, type Standing } from './principals.ts'
import { endSession } from './session-end.ts'
import { SessionLog } from './session-log.ts'

/** The URL is `mqtt://host:port` or `mqtts://host:port`; the user has the role `admin`. */
export interface MosquittoOptions extends ExternalBrokerOptions {
  /** Whether a client of the broker is a principal of the service; others are left alone. */
  isPrincipal(username: string): boolean
  /** Told why the broker could not be brought to what it should hold; tried again later. */
  onFailure(error: unknown): void
}

export interface Mosquitto extends ExternalBroker {
  /**
   * Sets the one password of a principal, and a mark of it, with the role that it should have. The
   * one before counts no more from now on, and a live session ends.
   * @param until by `performance.now()`: it is not set after that, but fails.
   * @returns false for who is gone by now, and needs no password.
   */
  setPassword(principalId: string, password: string, mark: string, until?: number): Promise<boolean>
  /** The mark of the password that it has there; undefined: of none, or one without a mark. */
  passwordMark(principalId: string): Promise<string | undefined>
  /** Brings one principal to what it may now; its live session is narrowed without a cut. */
  bring(principalId: string): Promise<Standing>
  /** Brings every principal that the broker knows. @returns how many of them there are. */
  reconcile(): Promise<number>
}

const BOUND_SECONDS = 3
const TRY_AGAIN_MS = 5_000

export const createMosquitto = (options: MosquittoOptions): Mosquitto => new Adapter(options)

class Adapter implements Mosquitto {
  readonly name: string
  readonly boundSeconds = BOUND_SECONDS
  readonly #options: MosquittoOptions
  readonly #channel: ControlChannel
  readonly #plugin: Plugin
  readonly #principals: Principals
  readonly #sessions = new SessionLog()
  /** Two changes of one principal must not cross each other. */
  readonly #turns = new KeyedQueue()
  #retry: NodeJS.Timeout | undefined
  #stopped = false

  constructor(options: MosquittoOptions) {
    this.name = options.name
    this.#options = options
    this.#channel = new ControlChannel(options, {
      connected: () => void this.#settle(),
      lost: () => this.#sessions.clear(),
      failed: (error) => options.onFailure(error),
      logged: (line) => this.#sessions.read(line),
    })
    this.#plugin = new Plugin(options.name, this.#channel)
    this.#principals = new Principals(options.name, this.#plugin)
  }

  start(): void {
    this.#channel.start()
  }

  async stop(): Promise<void> {
    this.#stopped = true
    clearTimeout(this.#retry)
    await this.#channel.stop()
  }

  connections(principalId?: string): Promise<BrokerConnection[]> {
    return Promise.resolve(this.#sessions.of(principalId))
  }

  holds(principalId: string): Promise<boolean> {
    return Promise.resolve(this.#sessions.of(principalId).length > 0)
  }

  /** Nothing is cached there: what the plugin holds is what counts. */
  purge(): Promise<void> {
    return Promise.resolve()
  }

  async cut(principalId: string): Promise<number> {
    return await this.#turns.run(principalId, async () => {
      const before = this.#sessions.of(principalId).length
      const standing = await this.#bring(principalId)
      // A change without anything in it ends the session, as each change of a client does.
      if (standing === 'admitted') {
        await this.#plugin.doIfThere({ command: 'modifyClient', username: principalId })
      }
      await this.#dropSession(principalId)
      return before
    })
  }

  async verify(principalId: string): Promise<boolean> {
    const decision = await this.#options.authorize(principalId, principalId)
    const held = await this.#principals.held(principalId)
    const isGone = decision.accepted || this.#sessions.of(principalId).length === 0
    return isGone && this.#principals.agrees(principalId, decision, held)
  }

  /** Each message is judged by the role of its sender and of its receiver as it is then. */
  async regrant(principalId?: string): Promise<void> {
    if (principalId === undefined) await this.reconcile()
    else await this.bring(principalId)
  }

  async bring(principalId: string): Promise<Standing> {
    return await this.#turns.run(principalId, () => this.#bring(principalId))
  }

  async setPassword(
    principalId: string,
    password: string,
    mark: string,
    until?: number,
  ): Promise<boolean> {
    return await this.#turns.run(principalId, async () => {
      const decision = await this.#options.authorize(principalId, principalId)
      if (!decision.accepted && decision.reason !== 'banned') {
        await this.#bring(principalId)
        return false
      }
      if (decision.accepted) {
        const role = await this.#plugin.role(roleOf(principalId))
        await this.#principals.setRole(principalId, decision.grant.rules, role)
      }
      const given = { password, mark, until }
      await this.#principals.setPassword(principalId, given, decision.accepted)
      await this.#bring(principalId)
      return true
    })
  }

  async passwordMark(principalId: string): Promise<string | undefined> {
    const client = await this.#plugin.client(principalId)
    return client && this.#principals.markOf(client)
  }

  async reconcile(): Promise<number> {
    const roles = new Map<string, PluginRole>()
    for await (const role of this.#plugin.roles()) roles.set(role.rolename, role)
    const names: string[] = []
    for await (const { username } of this.#plugin.clients()) {
      if (this.#options.isPrincipal(username)) names.push(username)
    }
    for (const name of names) {
      // What was listed may be old by now, so it only tells apart who is worth a closer look.
      await this.#turns.run(name, () => this.#bring(name))
      roles.delete(roleOf(name))
    }
    for (const rolename of roles.keys()) {
      const owner = rolename.slice(roleOf('').length)
      if (rolename !== roleOf(owner)) continue
      await this.#turns.run(owner, async () => {
        const held = await this.#principals.held(owner)
        if (held.client === undefined) await this.#principals.dropRoles([rolename])
      })
    }
    return names.length
  }

  async #bring(principalId: string, found?: Held): Promise<Standing> {
    const decision = await this.#options.authorize(principalId, principalId)
    const held = found ?? (await this.#principals.held(principalId))
    return await this.#principals.bring(principalId, decision, held)
  }

  /**
   * Ends whatever session is left under the principal's client id, with all that was queued for it:
   * the service takes it over for a moment, and asks for a clean one. The plugin has no command for
   * that, and a disabled client would find its old queue when it is enabled again.
   */
  async #dropSession(principalId: string): Promise<void> {
    const { name, url } = this.#options
    try {
      await endSession(url, { ...clientOptionsOf(this.#options), clientId: principalId })
    } catch (error) {
      const what = `a session could not be taken over: ${(error as Error).message}`
      throw new BrokerFailure(name, 'unreachable', what)
    }
  }

  /** After each connection: changes may have been missed while there was none. */
  async #settle(): Promise<void> {
    clearTimeout(this.#retry)
    try {
      await this.#plugin.denyByDefault()
      await this.reconcile()
    } catch (error) {
      if (this.#stopped) return
      this.#options.onFailure(error)
      this.#retry = setTimeout(() => void this.#settle(), TRY_AGAIN_MS)
    }
  }
}
