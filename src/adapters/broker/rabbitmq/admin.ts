/**
 * RabbitMQ with its MQTT plugin: calls the hooks on the operator listener, and is administered
 * through the management API.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { EndedSessionMemory } from '../admin/ended-session-memory.ts'
import { BrokerFailure } from '../admin/failure.ts'
import { type HttpResponse, HttpApi } from '../admin/http-api.ts'
import { isOlder } from '../admin/older-sessions.ts'
import type {
  BrokerConnection,
  ExternalBroker,
  ExternalBrokerOptions,
  NewerSecret,
} from '../external-port.ts'
import type { DisconnectReason } from '../port.ts'

/**
 * The URL includes `/api`, as served by the management plugin; the user has the tag
 * `administrator`.
 */
export interface RabbitmqOptions extends ExternalBrokerOptions {
  /** The virtual host of `mqtt.vhost`; `/` by default. */
  vhost?: string | undefined
}

/** A connection with its statistics, which the broker collects every five seconds. */
interface Listed {
  name: string
  user: string
  vhost: string
  node: string
  peer_host?: string
  connected_at?: number
  protocol?: string
  variable_map?: { client_id?: string }
  client_properties?: { client_id?: string }
}

export const BOUND_SECONDS = 3
const PAGE = 500
const ROUNDS = 8
const PAUSE_MS = 150
/** The list of all connections is built from statistics, collected every five seconds. */
const LIST_LAG_MS = 7_000
/** Longer than statistics take, which contain the start time of a connection. */
const POLLS = 16
const POLL_MS = 500

const REASONS: Readonly<Record<DisconnectReason, string>> = {
  administrative: 'Ended by an administrator',
  not_authorized: 'No longer authorized',
}

/** `{'MQTT',"3.1.1"}`, as the management plugin writes it: `MQTT 3.1.1`. */
const VERSIONS: Readonly<Record<string, number>> = { '3.1.0': 3, '3.1.1': 4, '5.0': 5, '5-0': 5 }

/** Nothing has to be purged: authorization results are cached per connection and end with it. */
export const createRabbitmq = (options: RabbitmqOptions): ExternalBroker => new Adapter(options)

class Adapter implements ExternalBroker {
  readonly name: string
  readonly boundSeconds = BOUND_SECONDS
  readonly listLagMs = LIST_LAG_MS
  readonly #options: RabbitmqOptions
  readonly #api: HttpApi
  readonly #vhost: string
  readonly #ended = new EndedSessionMemory()

  constructor(options: RabbitmqOptions) {
    this.name = options.name
    this.#options = options
    this.#vhost = options.vhost ?? '/'
    this.#api = new HttpApi({ ...options, broker: options.name })
  }

  async disconnect(
    principalId: string,
    reason: DisconnectReason,
    newer?: NewerSecret,
  ): Promise<number> {
    if (newer !== undefined) return await this.#disconnectOlder(principalId, reason, newer)
    const path = `/connections/username/${encodeURIComponent(principalId)}`
    const headers = { 'x-reason': REASONS[reason] }
    const ended = new Set<string>()
    const mayReturn = await this.#mayReturn(principalId)
    const first = await this.#tracked(principalId)
    this.#ended.remember(principalId, first)
    // A client accepted just before may appear in the table after it was read.
    for (let round = 0, listed = first; round < ROUNDS && listed.length > 0; round += 1) {
      for (const name of listed) ended.add(name)
      await this.#api.call({ method: 'DELETE', path, headers, expect: [204, 404] })
      await wait(PAUSE_MS)
      listed = (await this.#tracked(principalId)).filter((name) => !mayReturn || ended.has(name))
    }
    await this.#dropQueues(principalId)
    return ended.size
  }

  /** Queues are kept: a newer session may resume them. */
  async #disconnectOlder(
    principalId: string,
    reason: DisconnectReason,
    newer: NewerSecret,
  ): Promise<number> {
    const older = await this.#olderThan(principalId, newer)
    this.#ended.remember(principalId, older)
    for (const name of older) {
      await this.#api.call({
        method: 'DELETE',
        path: `/connections/${encodeURIComponent(name)}`,
        headers: { 'x-reason': REASONS[reason] },
        expect: [204, 404],
      })
    }
    return older.length
  }

  /** Names of connections, including those whose start time is never reported. */
  async #olderThan(principalId: string, newer: NewerSecret): Promise<string[]> {
    const known = new Map<string, boolean>()
    for (let attempt = 1; ; attempt += 1) {
      const names = await this.#tracked(principalId)
      for (const name of names) {
        if (known.has(name)) continue
        const path = `/connections/${encodeURIComponent(name)}`
        const response = await this.#get(path, [200, 404])
        const { connected_at: connectedAt, ...rest } = (response.body ?? {}) as Partial<Listed>
        if (response.status !== 200 || connectedAt === undefined) continue
        const session = { clientId: clientIdOf(rest), connectedAt }
        known.set(name, isOlder(session, response, newer))
      }
      const isKnown = names.every((name) => known.has(name))
      if (isKnown || attempt === POLLS) return names.filter((name) => known.get(name) ?? true)
      await wait(POLL_MS)
    }
  }

  async verify(principalId: string): Promise<boolean> {
    const mayReturn = await this.#mayReturn(principalId)
    return this.#ended.hasEnded(principalId, await this.#tracked(principalId), mayReturn)
  }

  async holds(principalId: string): Promise<boolean> {
    return (await this.#tracked(principalId)).length > 0
  }

  /** All connections as of the last statistics, up to five seconds ago. */
  async connections(principalId?: string): Promise<BrokerConnection[]> {
    const found: BrokerConnection[] = []
    const tracked = principalId === undefined ? undefined : await this.#tracked(principalId)
    if (tracked?.length === 0) return []
    for (let page = 1; ; page += 1) {
      const query = `page=${page}&page_size=${PAGE}`
      const { status, body } = await this.#get(`/connections?${query}`, [200, 400])
      // A page after the last one is a bad request.
      const { items = [] } = status === 200 ? (body as { items?: Listed[] }) : {}
      for (const listed of items) {
        if (listed.vhost !== this.#vhost) continue
        if (tracked !== undefined && !tracked.includes(listed.name)) continue
        found.push(connectionOf(listed))
      }
      if (items.length < PAGE) return found
    }
  }

  /**
   * Subscriptions of a durable session are never checked again and keep filling its queues while
   * the client is away, so the queues are deleted with the sessions.
   */
  async #dropQueues(principalId: string): Promise<void> {
    const vhost = encodeURIComponent(this.#vhost)
    const pattern = `^mqtt-subscription-${principalId}(:.*)?qos[01]$`
    const query = `name=${encodeURIComponent(pattern)}&use_regex=true&page=1&page_size=${PAGE}`
    const { body } = await this.#get(`/queues/${vhost}?${query}&columns=name`, [200])
    for (const { name } of (body as { items?: { name: string }[] }).items ?? []) {
      await this.#api.call({
        method: 'DELETE',
        path: `/queues/${vhost}/${encodeURIComponent(name)}`,
        // 400: belongs to a clean session that has just started; it ends with its connection.
        expect: [204, 404, 400, 405],
      })
    }
  }

  async #mayReturn(principalId: string): Promise<boolean> {
    return (await this.#options.authorize(principalId, principalId)).accepted
  }

  /** Names of a principal's current connections. */
  async #tracked(principalId: string): Promise<string[]> {
    const path = `/connections/username/${encodeURIComponent(principalId)}`
    const { status, body } = await this.#get(path, [200, 404])
    if (status === 404) return []
    if (!Array.isArray(body)) {
      throw new BrokerFailure(this.name, 'malformed', `GET ${path} got a response without a list`)
    }
    return (body as Pick<Listed, 'name'>[]).map(({ name }) => name)
  }

  async #get(path: string, expect: readonly number[]): Promise<HttpResponse> {
    return await this.#api.call({ method: 'GET', path, expect })
  }
}

const clientIdOf = (listed: Partial<Listed>): string | undefined =>
  listed.variable_map?.client_id ?? listed.client_properties?.client_id

function connectionOf(listed: Listed): BrokerConnection {
  const { user, node, peer_host: address, connected_at: connectedAt, protocol = '' } = listed
  const version = protocol.replace(/^MQTT[ /]?/i, '')
  return {
    principalId: user,
    clientId: clientIdOf(listed) ?? '',
    address,
    protocolVersion: VERSIONS[version],
    connectedAt,
    node,
  }
}
