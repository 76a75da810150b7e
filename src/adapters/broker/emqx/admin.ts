/**
 * EMQX 5 and 6: calls the hooks on the operator listener at CONNECT, caches each response, and is
 * administered through its own API with an API key.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { EndedSessionMemory } from '../admin/ended-session-memory.ts'
import { BrokerFailure } from '../admin/failure.ts'
import { HttpApi } from '../admin/http-api.ts'
import { isOlder, type ResponseMetadata } from '../admin/older-sessions.ts'
import type {
  BrokerConnection,
  ExternalBroker,
  ExternalBrokerOptions,
  NewerSecret,
} from '../external-port.ts'
import type { DisconnectReason } from '../port.ts'

/**
 * The URL includes `/api/v5` and may be of any node, since responses cover the whole cluster. User
 * name and password are an API key and its secret.
 */
export interface EmqxOptions extends ExternalBrokerOptions {
  /** How long a deleted client may remain in the list. */
  settleMs?: number
}

/** A client as listed by `GET /clients`, which includes sessions of disconnected clients. */
interface Client {
  clientid: string
  username?: string | null
  node?: string
  ip_address?: string
  proto_ver?: number
  connected?: boolean
  /** RFC 3339. */
  connected_at?: string
}

export const BOUND_SECONDS = 5
const SETTLE_MS = 4_000
const POLL_MS = 100
const PAGE = 1_000

export const createEmqx = (options: EmqxOptions): ExternalBroker => new Adapter(options)

/** Sessions of one client id differ by their connection time. */
const sessionOf = ({ clientid, connected_at = '' }: Client): string => `${connected_at} ${clientid}`

class Adapter implements ExternalBroker {
  readonly name: string
  readonly boundSeconds = BOUND_SECONDS
  readonly #options: EmqxOptions
  readonly #api: HttpApi
  readonly #settleMs: number
  readonly #ended = new EndedSessionMemory()

  constructor(options: EmqxOptions) {
    this.name = options.name
    this.#options = options
    this.#settleMs = options.settleMs ?? SETTLE_MS
    this.#api = new HttpApi({ ...options, broker: options.name })
  }

  /**
   * Since 6.2 each node may cache the hook's responses for a minute, and can only clear the whole
   * cache. Older versions lack the path.
   */
  async purge(_principalId: string): Promise<void> {
    await this.#api.call({
      method: 'POST',
      path: '/authentication/node_cache/reset',
      expect: [200, 204, 404],
    })
  }

  async disconnect(
    principalId: string,
    _reason: DisconnectReason,
    newer?: NewerSecret,
  ): Promise<number> {
    const clients = await this.#clients(
      principalId,
      newer &&
        ((client, metadata) => {
          const session = { clientId: client.clientid, connectedAt: beginOf(client) }
          return isOlder(session, metadata, newer)
        }),
    )
    this.#ended.remember(principalId, clients.map(sessionOf))
    for (const client of clients) await this.#end(client)
    return clients.filter(({ connected }) => connected !== false).length
  }

  async verify(principalId: string): Promise<boolean> {
    const { accepted } = await this.#options.authorize(principalId, principalId)
    const clients = await this.#clients(principalId)
    return this.#ended.hasEnded(principalId, clients.map(sessionOf), accepted)
  }

  async connections(principalId?: string): Promise<BrokerConnection[]> {
    const clients = await this.#clients(principalId)
    return clients.filter(({ connected }) => connected !== false).map(connectionOf)
  }

  async holds(principalId: string): Promise<boolean> {
    return (await this.connections(principalId)).length > 0
  }

  /** On all nodes, including sessions of disconnected clients. */
  async #clients(
    principalId?: string,
    isMeant: (client: Client, metadata: ResponseMetadata) => boolean = () => true,
  ): Promise<Client[]> {
    const found: Client[] = []
    const filter = principalId === undefined ? '' : `&username=${encodeURIComponent(principalId)}`
    for (let page = 1; ; page += 1) {
      const path = `/clients?page=${page}&limit=${PAGE}${filter}`
      const response = await this.#api.call({ method: 'GET', path, expect: [200] })
      const { data, meta } = (response.body ?? {}) as {
        data?: Client[]
        meta?: { hasnext?: boolean }
      }
      if (!Array.isArray(data)) {
        throw new BrokerFailure(this.name, 'malformed', `GET ${path} got a response without a list`)
      }
      const own = data.filter(({ username }) => (principalId ?? username) === username)
      found.push(...own.filter((client) => isMeant(client, response)))
      if (meta?.hasnext !== true || data.length === 0) return found
    }
  }

  /** A 204 is no proof: waits until the client is no longer listed. */
  async #end(client: Client): Promise<void> {
    const path = `/clients/${encodeURIComponent(client.clientid)}`
    const end = performance.now() + this.#settleMs
    for (;;) {
      await this.#api.call({ method: 'DELETE', path, expect: [204, 404] })
      for (let attempt = 0; attempt < 5; attempt += 1) {
        const found = await this.#api.call({ method: 'GET', path, expect: [200, 404] })
        if (found.status === 404) return
        const present = (found.body ?? client) as Client
        // The client has reconnected; whether it may, `verify` decides.
        if (sessionOf(present) !== sessionOf(client)) return
        if (performance.now() > end) {
          throw new BrokerFailure(this.name, 'slow', 'a client that was deleted is still listed')
        }
        await wait(POLL_MS)
      }
    }
  }
}

/** Milliseconds since the epoch, or NaN. */
const beginOf = ({ connected_at = '' }: Client): number => Date.parse(connected_at)

function connectionOf(client: Client): BrokerConnection {
  const connectedAt = beginOf(client)
  return {
    principalId: client.username ?? '',
    clientId: client.clientid,
    address: client.ip_address,
    protocolVersion: client.proto_ver,
    connectedAt: Number.isNaN(connectedAt) ? undefined : connectedAt,
    node: client.node,
  }
}
