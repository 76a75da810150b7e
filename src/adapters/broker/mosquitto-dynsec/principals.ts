/**
 * Principals as dynamic security clients: each is bound to one client id and one role with exactly
 * its rules. Only differences are written, since each change makes the broker rewrite its whole
 * file.
 */
import { BrokerFailure } from '../admin/failure.ts'
import type { ConnectDecision, TopicRule } from '../port.ts'
import { accessListOf, isSameAccess } from './access-list.ts'
import type { Plugin, PluginClient, PluginRole } from './plugin.ts'

/** Precedes a password's mark in the description of the client. */
const MARK = 'mooring password '

export const roleOf = (principalId: string): string => `mooring/${principalId}`

/** The records that the plugin stores about a principal. */
export interface Held {
  client: PluginClient | undefined
  role: PluginRole | undefined
}

export interface NewPassword {
  password: string
  mark: string
  /** By `performance.now()`: nothing is set after it. */
  until?: number | undefined
}

const holdsJust = (client: PluginClient, rolenames: readonly string[]): boolean => {
  const held = (client.roles ?? []).map(({ rolename }) => rolename)
  return held.length === rolenames.length && rolenames.every((name) => held.includes(name))
}

export class Principals {
  readonly #name: string
  readonly #plugin: Plugin

  constructor(name: string, plugin: Plugin) {
    this.#name = name
    this.#plugin = plugin
  }

  async held(principalId: string): Promise<Held> {
    const client = await this.#plugin.client(principalId)
    return { client, role: await this.#plugin.role(roleOf(principalId)) }
  }

  /** Applies a decision about a principal. @returns whether it can connect */
  async bring(principalId: string, decision: ConnectDecision, held: Held): Promise<boolean> {
    if (decision.accepted) return await this.#admit(principalId, decision.grant.rules, held)
    if (decision.reason === 'unavailable' || decision.reason === 'busy') {
      const what = 'the rights of a principal could not be found out, so they were left alone'
      throw new BrokerFailure(this.#name, 'refused', what)
    }
    if (decision.reason === 'bad_credentials') await this.#remove(principalId, held)
    else await this.#disable(principalId, held)
    return false
  }

  /** Whether the broker's data matches a decision. */
  agrees(principalId: string, decision: ConnectDecision, { client, role }: Held): boolean {
    if (client === undefined) return !decision.accepted
    if (!decision.accepted) return client.disabled === true
    const rules = accessListOf(decision.grant.rules)
    return (
      client.disabled !== true &&
      holdsJust(client, [roleOf(principalId)]) &&
      role !== undefined &&
      isSameAccess(role.acls, rules)
    )
  }

  /** The mark of the client's password; undefined if it has none. */
  markOf({ textdescription = '' }: PluginClient): string | undefined {
    return textdescription.startsWith(MARK) ? textdescription.slice(MARK.length) : undefined
  }

  /** Sets the only valid password and its mark. The plugin ends a live session. */
  async setPassword(
    principalId: string,
    { password, mark, until }: NewPassword,
    isAdmitted: boolean,
  ): Promise<void> {
    const username = principalId
    // One command, so that the mark always belongs to the password.
    const given = { username, password, textdescription: MARK + mark }
    if (await this.#plugin.doIfThere({ command: 'modifyClient', ...given }, until)) return
    // A new client is created with its role, or without one and disabled.
    const roles = isAdmitted ? [{ rolename: roleOf(principalId) }] : []
    const clientid = principalId
    await this.#plugin.do({ command: 'createClient', ...given, clientid, roles }, until)
    if (!isAdmitted) await this.#plugin.do({ command: 'disableClient', username })
  }

  async setRole(
    principalId: string,
    rules: readonly TopicRule[],
    role: PluginRole | undefined,
  ): Promise<void> {
    const acls = accessListOf(rules)
    const rolename = roleOf(principalId)
    if (role === undefined) await this.#plugin.do({ command: 'createRole', rolename, acls })
    else if (!isSameAccess(role.acls, acls)) {
      await this.#plugin.do({ command: 'modifyRole', rolename, acls })
    }
  }

  /** Deletes the role of a principal that no longer exists. */
  async dropRole(principalId: string): Promise<void> {
    await this.#plugin.doIfThere({ command: 'deleteRole', rolename: roleOf(principalId) })
  }

  async #admit(principalId: string, rules: readonly TopicRule[], held: Held): Promise<boolean> {
    // It cannot connect until a secret is set, since we only know its hash.
    if (held.client === undefined) return false
    await this.setRole(principalId, rules, held.role)
    const username = principalId
    if (!holdsJust(held.client, [roleOf(principalId)])) {
      const roles = [{ rolename: roleOf(principalId) }]
      await this.#plugin.doIfThere({ command: 'modifyClient', username, roles })
    }
    if (held.client.disabled === true) {
      await this.#plugin.doIfThere({ command: 'enableClient', username })
    }
    return true
  }

  /**
   * Also removes the role, so that the broker no longer delivers what the principal had retained:
   * it checks the publisher's rights, not whether it may still connect.
   */
  async #disable(principalId: string, { client }: Held): Promise<void> {
    if (client === undefined) return
    const username = principalId
    if (client.disabled !== true) {
      await this.#plugin.doIfThere({ command: 'disableClient', username })
    }
    if (!holdsJust(client, [])) {
      await this.#plugin.doIfThere({ command: 'modifyClient', username, roles: [] })
    }
  }

  async #remove(principalId: string, { client, role }: Held): Promise<void> {
    const username = principalId
    if (client !== undefined) await this.#plugin.doIfThere({ command: 'deleteClient', username })
    if (role !== undefined) await this.dropRole(principalId)
  }
}
