/** Typed commands of dynamic security, distinguishing refusals from failures. */
import { BrokerFailure } from '../admin/failure.ts'
import type { AccessEntry } from './access-list.ts'
import type { Command, CommandResponse, ControlChannel } from './control-channel.ts'

export interface PluginClient {
  username: string
  clientid?: string
  textdescription?: string
  disabled?: boolean
  roles?: readonly { rolename: string }[]
}

export interface PluginRole {
  rolename: string
  acls: AccessEntry[]
}

const NOT_FOUND = new Set(['Client not found', 'Role not found'])
const PAGE = 500

/** The default ACL: nothing but unsubscribing is allowed. */
const DEFAULTS: readonly { acltype: string; allow: boolean }[] = [
  { acltype: 'publishClientSend', allow: false },
  { acltype: 'publishClientReceive', allow: false },
  { acltype: 'subscribe', allow: false },
  { acltype: 'unsubscribe', allow: true },
]

export class Plugin {
  readonly #name: string
  readonly #channel: Pick<ControlChannel, 'ask'>

  constructor(name: string, channel: Pick<ControlChannel, 'ask'>) {
    this.#name = name
    this.#channel = channel
  }

  /** Throws if the plugin refuses. */
  async do(command: Command, until?: number): Promise<CommandResponse> {
    const response = await this.#channel.ask(command, until)
    if (response.error === undefined) return response
    throw new BrokerFailure(this.#name, 'refused', `${command.command}: ${response.error}`)
  }

  /** @returns false if the object does not exist */
  async doIfThere(command: Command, until?: number): Promise<boolean> {
    const { error } = await this.#channel.ask(command, until)
    if (error === undefined) return true
    if (NOT_FOUND.has(error)) return false
    throw new BrokerFailure(this.#name, 'refused', `${command.command}: ${error}`)
  }

  async client(username: string): Promise<PluginClient | undefined> {
    return await this.#get<PluginClient>({ command: 'getClient', username }, 'client')
  }

  async role(rolename: string): Promise<PluginRole | undefined> {
    return await this.#get<PluginRole>({ command: 'getRole', rolename }, 'role')
  }

  clients(): AsyncGenerator<PluginClient> {
    return this.#list<PluginClient>('listClients', 'clients')
  }

  roles(): AsyncGenerator<PluginRole> {
    return this.#list<PluginRole>('listRoles', 'roles')
  }

  /** Sets the default access to deny. Only writes, and so rewrites the file, if it differs. */
  async denyByDefault(): Promise<void> {
    const { data } = await this.do({ command: 'getDefaultACLAccess' })
    const present = (data as { acls?: { acltype: string; allow: boolean }[] }).acls ?? []
    const acls = DEFAULTS.filter(
      ({ acltype, allow }) => present.find((entry) => entry.acltype === acltype)?.allow !== allow,
    )
    if (acls.length > 0) await this.do({ command: 'setDefaultACLAccess', acls })
  }

  async #get<T>(command: Command, member: string): Promise<T | undefined> {
    const { error, data } = await this.#channel.ask(command)
    if (error !== undefined && NOT_FOUND.has(error)) return undefined
    const found = data[member]
    if (error === undefined && typeof found === 'object' && found !== null) return found as T
    throw new BrokerFailure(this.#name, 'refused', `${command.command}: ${error ?? 'no response'}`)
  }

  async *#list<T>(command: string, member: string): AsyncGenerator<T> {
    for (let offset = 0; ; offset += PAGE) {
      const { data } = await this.do({ command, verbose: true, count: PAGE, offset })
      const page = data[member]
      if (!Array.isArray(page)) {
        throw new BrokerFailure(this.#name, 'malformed', `${command} got a response without a list`)
      }
      yield* page as T[]
      if (page.length < PAGE) return
    }
  }
}
