/**
 * The environment of each test of conformance: a broker that its file shares, a workspace of its
 * own in it, and clients that speak by the byte.
 */
import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { after, before, describe, it, type TestContext } from 'node:test'
import { connect as connectTls } from 'node:tls'
import { EmbeddedBroker } from '../../../../../src/adapters/broker/embedded/broker.ts'
import type { EmbeddedBrokerLimits } from '../../../../../src/adapters/broker/embedded/limits.ts'
import type { TopicRule } from '../../../../../src/adapters/broker/port.ts'
import { makeAuthority } from '../../../../support/certificates.ts'
import { connectPacket, packet, properties, type RawConnect, text } from '../../raw-client.ts'
import { allow, type Credential, TestAuthority } from '../../test-authority.ts'
import { openStore } from './stored.ts'
import {
  acknowledgePacket,
  bytes,
  disconnectPacket,
  pingPacket,
  type PacketName,
  property,
  type PropertyName,
  type PropertyValue,
  type Publication,
  publishPacket,
  readPacket,
  type Received,
  subscribePacket,
  unsubscribePacket,
  type Version,
  type Wanted,
} from './packets.ts'

/** How long a packet may take on a busy machine. */
const TIMEOUT_MS = 60_000
const HOST = '127.0.0.1'
const certificates = makeAuthority()

/** One client, by the byte. */
export class Peer {
  readonly version: Version
  readonly socket: Socket
  /** The bytes received and not yet taken. */
  readonly inbox: Received[] = []
  connack: Received | undefined
  closed = false
  #unread = Buffer.alloc(0)
  #failure: unknown
  #changed: () => void = () => {}

  constructor(t: TestContext, socket: Socket, version: Version) {
    this.version = version
    this.socket = socket.setNoDelay(true)
    this.socket.on('data', (data) => this.#take(data))
    this.socket.on('error', () => {})
    this.socket.on('close', () => {
      this.closed = true
      this.#changed()
    })
    t.after(() => this.socket.destroy())
  }

  #take(data: Buffer): void {
    this.#unread = Buffer.concat([this.#unread, data])
    try {
      for (;;) {
        const read = readPacket(this.#unread, this.version)
        if (read === undefined) break
        this.#unread = this.#unread.subarray(read.bytes.length)
        this.inbox.push(read)
      }
    } catch (error) {
      this.#failure = error
    }
    this.#changed()
  }

  async #until(condition: () => boolean, what: string): Promise<void> {
    const end = Date.now() + TIMEOUT_MS
    while (!condition()) {
      if (this.#failure !== undefined) throw this.#failure
      const left = end - Date.now()
      if (left <= 0) throw new Error(`Waited in vain for ${what}.`)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left)
        this.#changed = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
  }

  send(...packets: Buffer[]): void {
    if (!this.socket.destroyed) this.socket.write(Buffer.concat(packets))
  }

  /** The next packet, which must be of this type. */
  async next(name: PacketName): Promise<Received> {
    await this.#until(() => this.inbox.length > 0 || this.closed, `a ${name}`)
    const received = this.inbox.shift()
    assert.equal(received?.name ?? 'the end', name, `codes ${String(received?.codes)}`)
    return received as Received
  }

  /** As many packets of a type, one after the other. */
  async take(count: number, name: PacketName = 'PUBLISH'): Promise<Received[]> {
    const received: Received[] = []
    while (received.length < count) received.push(await this.next(name))
    return received
  }

  /** The next packets, of whatever type. */
  async some(count: number): Promise<Received[]> {
    await this.#until(() => this.inbox.length >= count || this.closed, `${count} packets`)
    return this.inbox.splice(0, count)
  }

  /** Whether nothing came that was not taken, up to the response to a PINGREQ. */
  async quiet(): Promise<void> {
    this.send(pingPacket())
    await this.next('PINGRESP')
    assert.deepEqual(this.inbox, [])
  }

  /** The bytes up to the close of the connection. */
  async end(): Promise<Received[]> {
    await this.#until(() => this.closed, 'the close of a connection')
    return this.inbox.splice(0)
  }

  /**
   * The broker closes the connection; in MQTT 5 its last packet is a DISCONNECT with one of these
   * codes, and in earlier versions there is none.
   */
  async ends(...codes: number[]): Promise<void> {
    const received = await this.end()
    const last = received.at(-1)
    if (this.version < 5) {
      assert.deepEqual(
        received.filter(({ name }) => name === 'DISCONNECT'),
        [],
      )
      return
    }
    assert.equal(last?.name, 'DISCONNECT')
    const [code = 0] = last?.codes ?? []
    assert.ok(codes.includes(code), `0x${code.toString(16)}`)
    assert.equal(valueOf(last, 'sessionExpiry'), undefined)
  }

  /** Ends the connection as a network does that fails. */
  async drop(): Promise<void> {
    this.socket.destroy()
    await this.#until(() => this.closed, 'the close of a connection')
  }

  /** Says goodbye with a DISCONNECT and waits for the close. */
  async leave(code?: number, ...extra: Buffer[]): Promise<void> {
    this.send(disconnectPacket(code, ...extra))
    assert.deepEqual(await this.end(), [])
  }

  publish(publication: Publication): void {
    this.send(publishPacket(this.version, publication))
  }

  /** Publishes with QoS 1 and waits for the PUBACK. @returns its code. */
  async published(publication: Publication): Promise<number> {
    this.publish({ qos: 1, ...publication })
    const { id, codes } = await this.next('PUBACK')
    assert.equal(id, publication.id ?? 1)
    return codes[0] ?? 0
  }

  /** Publishes with QoS 2 up to the PUBCOMP. */
  async publishedTwice(publication: Publication): Promise<void> {
    const { id = 1 } = publication
    this.publish({ ...publication, qos: 2 })
    assert.equal((await this.next('PUBREC')).id, id)
    this.acknowledge('PUBREL', id)
    assert.equal((await this.next('PUBCOMP')).id, id)
  }

  acknowledge(...args: Parameters<typeof acknowledgePacket>): void {
    this.send(acknowledgePacket(...args))
  }

  /** Subscribes and waits for the SUBACK. @returns its codes. */
  subscribe(...filters: Wanted[]): Promise<number[]> {
    return this.#subscribe(filters)
  }

  /** The same with a subscription identifier. */
  subscribeAs(identifier: number, ...filters: Wanted[]): Promise<number[]> {
    return this.#subscribe(filters, property('subscriptionIdentifier', identifier))
  }

  async #subscribe(filters: Wanted[], ...extra: Buffer[]): Promise<number[]> {
    this.send(subscribePacket(this.version, 77, filters, ...extra))
    const { id, codes } = await this.next('SUBACK')
    assert.equal(id, 77)
    return codes
  }

  /** Unsubscribes and waits for the UNSUBACK. @returns its codes; none before MQTT 5. */
  async unsubscribe(...filters: string[]): Promise<number[]> {
    this.send(unsubscribePacket(this.version, 78, filters))
    const { id, codes } = await this.next('UNSUBACK')
    assert.equal(id, 78)
    return codes
  }
}

/** The value of a property; undefined if it is not there. */
export const valueOf = (
  received: Received | undefined,
  name: PropertyName,
): PropertyValue | undefined => received?.properties.find((each) => each.name === name)?.value

/** All values of a property, in their order. */
export const valuesOf = (received: Received | undefined, name: PropertyName): PropertyValue[] =>
  (received?.properties ?? []).filter((each) => each.name === name).map(({ value }) => value)

export interface ConnectWish extends Partial<RawConnect> {
  /** The principal; by default a new one. */
  as?: Credential
  version?: Version
  /** A session that outlives its connection, resumed if there is one. */
  durable?: boolean
}

/** How long durable sessions of these tests are kept, in seconds. */
const KEPT_S = 600

/** The CONNECT of a credential. */
export function connectOf(
  credential: Credential,
  wish: ConnectWish & { version: Version },
): Buffer {
  const { durable = false, as: _, ...rest } = wish
  const kept = durable && wish.version === 5 ? [property('sessionExpiry', KEPT_S)] : []
  const { clientId, username, password } = credential
  return connectPacket({
    clientId,
    username,
    password,
    clean: !durable,
    ...rest,
    properties: [...kept, ...(rest.properties ?? [])],
  })
}

/** A test's own part of the broker. */
export class Fixture {
  readonly t: TestContext
  readonly version: Version
  readonly workspace: string
  readonly authority: TestAuthority
  readonly broker: EmbeddedBroker

  constructor(t: TestContext, version: Version, workspace: string, shared: Shared) {
    this.t = t
    this.version = version
    this.workspace = workspace
    this.authority = shared.authority
    this.broker = shared.broker
  }

  /** A topic or filter below the workspace. */
  topic(rest = 'a'): string {
    return `${this.workspace}/${rest}`
  }

  /** A principal that may do everything in the workspace, or what the rules say. */
  credential(...rules: TopicRule[]): Credential {
    return this.authority.add(this.workspace, rules.length > 0 ? rules : undefined)
  }

  /** A connection that has sent nothing. */
  dial(version = this.version): Peer {
    return new Peer(this.t, connect({ port: this.broker.port, host: HOST }), version)
  }

  /** The same over TLS. */
  dialTls(): Peer {
    const { tls: port = 0 } = this.broker.ports
    const socket = connectTls({ port, host: HOST, ca: certificates.cert })
    return new Peer(this.t, socket, this.version)
  }

  /** A connection that has sent a CONNECT. */
  request(wish: ConnectWish = {}): Peer {
    const version = wish.version ?? this.version
    const peer = this.dial(version)
    peer.send(connectOf(wish.as ?? this.credential(), { ...wish, version }))
    return peer
  }

  /** A client that was accepted. */
  async connect(wish: ConnectWish = {}): Promise<Peer> {
    const peer = this.request(wish)
    peer.connack = await peer.next('CONNACK')
    assert.deepEqual(peer.connack.codes, [0])
    return peer
  }

  /** A client of MQTT 5 that is subscribed to the whole workspace, with QoS 2. */
  async witness(filter = this.topic('#')): Promise<Peer> {
    const peer = await this.connect({ version: 5 })
    assert.deepEqual(await peer.subscribe([filter, 2]), [2])
    return peer
  }
}

interface Shared {
  authority: TestAuthority
  broker: EmbeddedBroker
}

export type RunConformance = (fixture: Fixture) => Promise<void>
export type Conforms = (name: string, versions: readonly Version[], run: RunConformance) => void

export const ALL: readonly Version[] = [3, 4, 5]
export const FIVE: readonly Version[] = [5]
export const EARLIER: readonly Version[] = [3, 4]

const VERSION_NAMES = { 3: '3.1', 4: '3.1.1', 5: '5' } as const

const ignore = (): void => {}
let workspaces = 0

type Define = (conforms: Conforms) => void

const nameOfWorkspace = async (): Promise<string> => {
  workspaces += 1
  return `ws_conform${workspaces}`
}

/** Tests that share a broker and run side by side, since some have to wait for a second. */
export function conformance(
  title: string,
  limits: Partial<EmbeddedBrokerLimits>,
  define: Define,
  isStored = false,
): void {
  const shared = { authority: new TestAuthority() } as Shared
  let addWorkspace = nameOfWorkspace
  const closers: (() => unknown)[] = []
  describe(`conformance: ${title}`, { concurrency: true }, () => {
    before(async () => {
      const opened = isStored
        ? await openStore({ after: (close) => void closers.push(close as () => unknown) })
        : undefined
      if (opened !== undefined) addWorkspace = opened.addWorkspace
      const log = { warn: ignore, error: ignore }
      const ports = { tcp: 0, tls: 0, ws: 0 }
      const tls = certificates.issue(HOST)
      const store = opened?.store
      shared.broker = new EmbeddedBroker({ host: HOST, ports, tls, log, limits, store })
      await shared.broker.start(shared.authority)
    })
    after(async () => {
      await shared.broker.stop()
      for (const close of closers.toReversed()) await close()
    })
    define((name, versions, run) => {
      for (const version of versions) {
        it(`${name} (MQTT ${VERSION_NAMES[version]})`, async (t) => {
          await run(new Fixture(t, version, await addWorkspace(), shared))
        })
      }
    })
  })
}

/** The same in memory, and with sessions that outlast the process. */
export function conformanceOfBoth(
  title: string,
  limits: Partial<EmbeddedBrokerLimits>,
  define: Define,
): void {
  conformance(title, limits, define)
  conformance(`${title}, stored`, limits, define, true)
}

export { allow, bytes, packet, properties, property, text }
