/**
 * Mosquitto with its dynamic security plugin: for small fleets, since the plugin rewrites its whole
 * file for each change and keeps one password per client. The broker stores all rules, so it
 * decides alone, even while the service is down.
 */
import { messageOf } from '../../../platform/lib/system-errors.ts'
import { KeyedSemaphore } from '../../../platform/lib/semaphore.ts'
import { BrokerFailure } from '../admin/failure.ts'
import type { BrokerConnection, CredentialStore, CredentialStoreOptions } from '../external-port.ts'
import { clientOptionsOf, ControlChannel, endSession } from './control-channel.ts'
import { Plugin, type PluginRole } from './plugin.ts'
import { Principals, roleOf } from './principals.ts'
import { SessionLog } from './session-log.ts'

export const BOUND_SECONDS = 3
const TRY_AGAIN_MS = 5_000

/** The URL is `mqtt://host:port` or `mqtts://host:port`; the user has the role `admin`. */
export const createMosquitto = (options: CredentialStoreOptions): CredentialStore =>
  new Adapter(options)

class Adapter implements CredentialStore {
  readonly name: string
  readonly boundSeconds = BOUND_SECONDS
  readonly #options: CredentialStoreOptions
  readonly #channel: ControlChannel
  readonly #plugin: Plugin
  readonly #principals: Principals
  readonly #sessions = new SessionLog()
  /** Serializes changes of one principal. */
  readonly #turns = new KeyedSemaphore({ concurrency: 1 })
  #retry: NodeJS.Timeout | undefined
  #stopped = false

  constructor(options: CredentialStoreOptions) {
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

  async disconnect(principalId: string): Promise<number> {
    return await this.#turns.run(principalId, async () => {
      const before = this.#sessions.of(principalId).length
      // An empty change ends the session, as any change of a client does.
      if (await this.#bring(principalId)) {
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

  /** Each message is checked against the current roles of its sender and receiver. */
  async regrant(principalId?: string): Promise<void> {
    if (principalId === undefined) await this.#reconcile()
    else await this.#turns.run(principalId, () => this.#bring(principalId))
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

  async #reconcile(): Promise<void> {
    const roles = new Map<string, PluginRole>()
    for await (const role of this.#plugin.roles()) roles.set(role.rolename, role)
    const names: string[] = []
    for await (const { username } of this.#plugin.clients()) {
      if (this.#options.isPrincipal(username)) names.push(username)
    }
    for (const name of names) {
      // The list may be outdated; it only selects what to check.
      await this.#turns.run(name, () => this.#bring(name))
      roles.delete(roleOf(name))
    }
    for (const rolename of roles.keys()) {
      const owner = rolename.slice(roleOf('').length)
      if (rolename !== roleOf(owner)) continue
      await this.#turns.run(owner, async () => {
        const held = await this.#principals.held(owner)
        if (held.client === undefined) await this.#principals.dropRole(owner)
      })
    }
  }

  /** @returns whether it can connect */
  async #bring(principalId: string): Promise<boolean> {
    const decision = await this.#options.authorize(principalId, principalId)
    const held = await this.#principals.held(principalId)
    return await this.#principals.bring(principalId, decision, held)
  }

  /**
   * Ends any session with the principal's client id and drops its queue, by briefly taking it over
   * with a clean session. The plugin has no command for that, and a disabled client would find its
   * old queue when enabled again.
   */
  async #dropSession(principalId: string): Promise<void> {
    const { name, url } = this.#options
    try {
      await endSession(url, { ...clientOptionsOf(this.#options), clientId: principalId })
    } catch (error) {
      const what = `a session could not be taken over: ${messageOf(error)}`
      throw new BrokerFailure(name, 'unreachable', what)
    }
  }

  /**
   * After each connection: changes may have been missed while disconnected. Not `retryUntilDone`:
   * a connection made during the pause ends it.
   */
  async #settle(): Promise<void> {
    clearTimeout(this.#retry)
    try {
      await this.#plugin.denyByDefault()
      await this.#reconcile()
    } catch (error) {
      if (this.#stopped) return
      this.#options.onFailure(error)
      this.#retry = setTimeout(() => void this.#settle(), TRY_AGAIN_MS)
    }
  }
}
