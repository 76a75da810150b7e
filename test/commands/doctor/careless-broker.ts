/**
 * A broker like those that people set up in a hurry: it does everything right but for the holes
 * that a test asks for.
 */
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import type { TestContext } from 'node:test'
import { Aedes, type Client, type ConnectPacket } from 'aedes'
import { type HookFault, hookFaults } from '../../../src/platform/access/hook-probe.ts'
import { emqx } from '../../../src/adapters/broker/emqx/kind.ts'
import type { Login, ExaminedBroker } from '../../../src/commands/doctor/probes/examination.ts'
import { defer } from '../../support/cleanup.ts'

export type Hole =
  | 'anonymous'
  | 'any_password'
  | 'any_client_id'
  | 'hook_fails_open'
  | 'asks_no_hook'
  | 'reads_everything'
  | 'reads_own_workspace'
  | 'reads_system_topics'
  | 'publishes_everything'
  | 'unchecked_will'
  | 'keeps_revoked_sessions'
  | 'remembers_revoked_logins'
  | 'is_another_broker'
  | 'dead_bridge'

const loginOf = (prefix: string): Login => {
  const username = `user-${prefix.replace('/', '-')}`
  return { username, password: `secret of ${prefix}`, clientId: username, prefix }
}

const own = loginOf('home/own')
const neighbour = loginOf('home/neighbour')
const foreign = loginOf('abroad/foreign')
const logins = [own, neighbour, foreign]

const isFaulty = (username: string): boolean =>
  hookFaults.some((each: HookFault) => username === `faulty-${each}`)

class CarelessBroker {
  readonly #holes: ReadonlySet<Hole>
  readonly #known = new Map<Client, Login>()
  /** The logins that it has asked its hook about. */
  readonly asked = new Set<string>()
  #isRevoked = false

  constructor(wanted: readonly Hole[]) {
    this.#holes = new Set(wanted)
  }

  #has(hole: Hole): boolean {
    return this.#holes.has(hole)
  }

  admits(client: Client, username: string | undefined, password: string | undefined): boolean {
    if (username === undefined) return this.#has('anonymous')
    if (isFaulty(username)) {
      if (!this.#has('asks_no_hook')) this.asked.add(username)
      return this.#has('hook_fails_open')
    }
    const login = logins.find((each) => each.username === username)
    if (login === undefined) return false
    if (password !== login.password && !this.#has('any_password')) return false
    if (client.id !== login.clientId && !this.#has('any_client_id')) return false
    const isOut = login === own && this.#isRevoked
    if (isOut && !this.#has('remembers_revoked_logins')) return false
    this.#known.set(client, login)
    return true
  }

  mayPublish(client: Client | null, topic: string): boolean {
    const login = client && this.#known.get(client)
    if (!login) return true
    if (this.#has('publishes_everything')) return true
    return topic.startsWith(`${login.prefix}/`)
  }

  maySubscribe(client: Client, filter: string): boolean {
    const login = this.#known.get(client)
    if (login === undefined) return false
    if (filter.startsWith('$SYS')) return this.#has('reads_system_topics')
    if (this.#has('reads_everything')) return true
    const [slug] = login.prefix.split('/')
    if (this.#has('reads_own_workspace') && filter === `${slug}/+/telemetry`) return true
    return filter.startsWith(`${login.prefix}/`)
  }

  /** A will is looked at when its client connects, unless nobody thought of it. */
  mayLeave(client: Client, will: { topic: string } | undefined): boolean {
    return will === undefined || this.#has('unchecked_will') || this.mayPublish(client, will.topic)
  }

  revoke(): void {
    this.#isRevoked = true
    if (this.#has('keeps_revoked_sessions')) return
    for (const [client, login] of this.#known) if (login === own) client.close()
  }
}

/** Starts such a broker. @returns the settings of an examination. */
export async function startCareless(t: TestContext, ...wanted: Hole[]): Promise<ExaminedBroker> {
  const rules = new CarelessBroker(wanted)
  const refused = new Error('not authorized')
  const wills = new Map<Client, ConnectPacket['will']>()
  const aedes = new Aedes({
    heartbeatInterval: 200,
    preConnect: (client, { will }, done) => {
      wills.set(client, will)
      done(null, true)
    },
    authenticate: (client, username, password, done) => {
      const isIn = rules.admits(client, username, password?.toString())
      done(null, isIn && rules.mayLeave(client, wills.get(client)))
    },
    authorizePublish: (client, { topic, cmd }, done) => {
      const isWill = wanted.includes('unchecked_will') && client?.closed === true
      done(cmd !== 'publish' || isWill || rules.mayPublish(client, topic) ? null : refused)
    },
    authorizeSubscribe: (client, subscription, done) => {
      done(null, rules.maySubscribe(client, subscription.topic) ? subscription : null)
    },
  })
  await aedes.listen()
  const server = createServer((socket) => void aedes.handle(socket))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  defer(t, async () => {
    server.close()
    await new Promise<void>((resolve) => aedes.close(resolve))
  })
  const { port } = server.address() as AddressInfo
  const topic = `${foreign.prefix}/cmd`
  return {
    advice: emqx.advice,
    url: new URL(`mqtt://127.0.0.1:${port}`),
    ca: undefined,
    own,
    neighbour,
    foreign,
    commandForeign: () =>
      new Promise((resolve) => {
        const packet = { cmd: 'publish', topic, payload: '{}', qos: 1, dup: false, retain: false }
        aedes.publish(packet as Parameters<Aedes['publish']>[0], () => resolve())
      }),
    revokeOwn: () => Promise.resolve(rules.revoke()),
    boundSeconds: 1,
    hook: {
      faulty: (fault) => ({ username: `faulty-${fault}`, password: 'signed' }),
      wasAsked: (username) => Promise.resolve(rules.asked.has(username)),
    },
    seesOwn: () => Promise.resolve(!wanted.includes('is_another_broker')),
    bridgeProblem: () => Promise.resolve(wanted.includes('dead_bridge') ? 'Not authorized' : null),
  }
}
