/**
 * EMQX 5 and 6: it asks the hooks of the operator listener at CONNECT, keeps the answer, and is
 * administered over its own API with an API key.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { CutMemory } from '../admin/cut-memory.ts'
import { BrokerFailure } from '../admin/failure.ts'
import { HttpApi } from '../admin/http-api.ts'
import { isOlder, type Told } from '../admin/older-sessions.ts'
import type {
  BrokerConnection,
  ExternalBroker,
  ExternalBrokerOptions,
  NewerSecret,
} from '../external-port.ts'
import type { CutReason } from '../port.ts'

/**
 * The URL goes up to `/api/v5`, of any node: its answers are about the whole cluster. User name and
 * password are an API key and its secret.
 */
export interface EmqxOptions extends ExternalBrokerOptions {
  /** How long a client may stay in the list after it was deleted. */
  patienceMs?: number
}

/** A client as `GET /clients` lists it; a session whose client is away is listed as well. */
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

const BOUND_SECONDS = 5
const PATIENCE_MS = 4_000
const POLL_MS = 100
const PAGE = 1_000

export const createEmqx = (options: EmqxOptions): ExternalBroker => new Adapter(options)

/** One session of a client id is told from the next by when it was connected. */
const sessionOf = ({ clientid, connected_at = '' }: Client): string => `${connected_at} ${clientid}`

class Adapter implements ExternalBroker {
  readonly name: string
  readonly boundSeconds = BOUND_SECONDS
  readonly #options: EmqxOptions
  readonly #api: HttpApi
  readonly #patienceMs: number
  readonly #cuts = new CutMemory()

  constructor(options: EmqxOptions) {
    this.name = options.name
    this.#options = options
    this.#patienceMs = options.patienceMs ?? PATIENCE_MS
    this.#api = new HttpApi({ ...options, broker: options.name })
  }

  /** There is no connection to hold. */
  start(): void {}

  stop(): Promise<void> {
    return Promise.resolve()
  }

  /**
   * Since 6.2 each node may keep what the hook answered for a minute. It can only be forgotten for
   * all at once; a version without such a cache has no such path.
   */
  async purge(_principalId: string): Promise<void> {
    await this.#api.call({
      method: 'POST',
      path: '/authentication/node_cache/reset',
      expect: [200, 204, 404],
    })
  }

  async cut(principalId: string, _reason: CutReason, newer?: NewerSecret): Promise<number> {
    const clients = await this.#clients(
      principalId,
      newer &&
        ((client, told) => {
          const session = { clientId: client.clientid, connectedAt: beginOf(client) }
          return isOlder(session, told, newer)
        }),
    )
    this.#cuts.remember(principalId, clients.map(sessionOf))
    for (const client of clients) await this.#end(client)
    return clients.filter(({ connected }) => connected !== false).length
  }

  async verify(principalId: string): Promise<boolean> {
    const { accepted } = await this.#options.authorize(principalId, principalId)
    const clients = await this.#clients(principalId)
    return this.#cuts.hasEnded(principalId, clients.map(sessionOf), accepted)
  }

  async connections(principalId?: string): Promise<BrokerConnection[]> {
    const clients = await this.#clients(principalId)
    return clients.filter(({ connected }) => connected !== false).map(connectionOf)
  }

  async holds(principalId: string): Promise<boolean> {
    return (await this.connections(principalId)).length > 0
  }

  /** Across all nodes, and with the sessions whose clients are away. */
  async #clients(
    principalId?: string,
    isMeant: (client: Client, told: Told) => boolean = () => true,
  ): Promise<Client[]> {
    const found: Client[] = []
    const filter = principalId === undefined ? '' : `&username=${encodeURIComponent(principalId)}`
    for (let page = 1; ; page += 1) {
      const path = `/clients?page=${page}&limit=${PAGE}${filter}`
      const answer = await this.#api.call({ method: 'GET', path, expect: [200] })
      const { data, meta } = (answer.body ?? {}) as {
        data?: Client[]
        meta?: { hasnext?: boolean }
      }
      if (!Array.isArray(data)) {
        throw new BrokerFailure(this.name, 'malformed', `GET ${path} was answered without a list`)
      }
      const own = data.filter(({ username }) => (principalId ?? username) === username)
      found.push(...own.filter((client) => isMeant(client, answer)))
      if (meta?.hasnext !== true || data.length === 0) return found
    }
  }

  /** That it was deleted is believed when it is no longer there: a 204 alone is no proof. */
  async #end(client: Client): Promise<void> {
    const path = `/clients/${encodeURIComponent(client.clientid)}`
    const end = performance.now() + this.#patienceMs
    for (;;) {
      await this.#api.call({ method: 'DELETE', path, expect: [204, 404] })
      for (let look = 0; look < 5; look += 1) {
        const found = await this.#api.call({
          method: 'GET',
          path,
          expect: [200, 404],
        })
        if (found.status === 404) return
        const present = (found.body ?? client) as Client
        // The same client may have come back already; whether it may, `verify` tells.
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
