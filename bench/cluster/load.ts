/**
 * The load of a round: factories register devices, staff read them, devices publish, credentials
 * are revoked. It remembers what was acknowledged, and afterwards looks for all of it.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseId } from '../../src/platform/lib/ids.ts'
import { until } from '../../test/support/until.ts'
import type { Cluster, Place } from './cluster.ts'
import { Device, type Login, publishWhile } from './devices.ts'
import { ResponseTimes, send } from './requests.ts'
import { Revocations } from './revocations.ts'

const FACTORIES = 2
const READERS = 2
const PAUSE_MS = 40
const REVOKED_KEYS = 12
const REVOKED_DEVICES = 3
/** After the load the states that are on their way arrive. */
const STATES_MS = 60_000

export interface Acknowledged {
  registrations: number
  reads: number
  revocations: number
}

/** The effects of a kill that callers and devices saw. */
export interface Outage {
  /** Longest time without an acknowledged registration, and without a read that was answered. */
  writesMs: number
  readsMs: number
  failedRequests: number
  /** Devices that lost their connection, and when the last one was back. */
  disconnected: number
  backMs: number
}

export class Load {
  readonly #cluster: Cluster
  readonly #place: Place
  readonly #devices: Device[] = []
  readonly #revocations: Revocations
  readonly #registrations = new ResponseTimes()
  readonly #reads = new ResponseTimes()
  readonly #revokes = new ResponseTimes()
  readonly violations: string[] = []
  readonly acknowledged: Acknowledged = { registrations: 0, reads: 0, revocations: 0 }
  #isWanted = false
  #running: Promise<unknown> = Promise.resolve()
  #startedAt = 0
  /** The devices of the present kill, and of earlier ones. */
  #registered: string[] = []
  readonly #earlier: string[] = []

  constructor(cluster: Cluster) {
    this.#cluster = cluster
    this.#place = cluster.place
    this.#revocations = new Revocations(
      cluster.place,
      () => this.#register(new ResponseTimes()),
      (what) => void this.violations.push(what),
    )
  }

  get devices(): number {
    return this.#devices.length
  }

  /** Registers the devices that stay connected, and connects them. */
  async addDevices(count: number): Promise<void> {
    const logins = Array.from({ length: count }, () => this.#register(new ResponseTimes()))
    for (const login of await Promise.all(logins)) this.#devices.push(new Device(login))
    await until('all devices are connected', () => this.#devices.every((each) => each.isConnected))
  }

  /** As a factory: the same request again until there is a response. */
  async #register(responseTimes: ResponseTimes): Promise<Login> {
    const { url, factory, templateId } = this.#place
    const body = { template_id: templateId, hardware_id: randomUUID() }
    const received = await responseTimes.persist(() =>
      send(`${url}/provision/device`, 'POST', factory, body),
    )
    if (received.status >= 300) {
      throw new Error(`a registration is answered with ${received.status}: ${received.body?.code}`)
    }
    const login = received.body as Login
    this.#registered.push(login.device_id)
    return login
  }

  async #read(): Promise<void> {
    const { url, path, staff } = this.#place
    const id = this.#registered[Math.floor(Math.random() * this.#registered.length)]
    if (id === undefined) return
    const received = await this.#reads.persist(() =>
      send(`${url}${path}/devices/${id}`, 'GET', staff),
    )
    // A device of this round may have been revoked, and so deleted.
    if (received.status !== 200 && received.status !== 404) {
      this.violations.push(`a read is answered with ${received.status}`)
    }
  }

  async #repeat(work: () => Promise<unknown>): Promise<void> {
    while (this.#isWanted) {
      await work().catch((error: Error) => this.violations.push(error.message))
      await sleep(PAUSE_MS)
    }
  }

  /** Begins a round. */
  async begin(): Promise<void> {
    this.#earlier.push(...this.#registered)
    // Devices that will be revoked, and so deleted, are not looked for afterwards.
    this.#registered = []
    await this.#revocations.prepare(REVOKED_KEYS, REVOKED_DEVICES)
    this.#registered = []
    for (const responseTimes of [this.#registrations, this.#reads, this.#revokes])
      responseTimes.begin()
    this.#isWanted = true
    this.#startedAt = performance.now()
    const isWanted = (): boolean => this.#isWanted
    this.#running = Promise.all([
      ...Array.from({ length: FACTORIES }, () =>
        this.#repeat(() => this.#register(this.#registrations)),
      ),
      ...Array.from({ length: READERS }, () => this.#repeat(() => this.#read())),
      this.#revocations.load(this.#revokes, isWanted),
      this.#revocations.probe(isWanted),
      publishWhile(this.#devices, isWanted),
    ])
  }

  /** Waits until all callers get responses and all devices are connected, and that stays so. */
  async recovered(killedAt: number, restMs: number): Promise<void> {
    await until('all is back', () => {
      const isResponding = [this.#registrations, this.#reads].every(
        (each) => each.sinceLastMs < 500,
      )
      const isBack = this.#devices.every((device) => device.isConnected)
      return isResponding && isBack && performance.now() - killedAt > restMs
    })
  }

  outageSince(killedAt: number): Outage {
    const lost = this.#devices.filter((device) => device.wasLostSince(killedAt))
    const back = lost.map((device) => device.connectedAt - killedAt)
    const kinds = [this.#registrations, this.#reads, this.#revokes]
    return {
      writesMs: this.#registrations.longestPauseMs,
      readsMs: this.#reads.longestPauseMs,
      failedRequests: kinds.reduce((sum, { failed }) => sum + failed, 0),
      disconnected: lost.length,
      backMs: Math.max(0, ...back),
    }
  }

  /** Ends the load; requests in flight still get their responses. */
  async end(): Promise<void> {
    this.#isWanted = false
    await this.#running
    this.acknowledged.registrations += this.#registrations.count
    this.acknowledged.reads += this.#reads.count
    this.acknowledged.revocations += this.#revokes.count
  }

  /** With all up again: everything that was acknowledged is there, and nothing that was revoked. */
  async check(): Promise<void> {
    await this.#revocations.check(this.#startedAt, this.#cluster.brokers.mqttPorts)
    await this.#checkRegistrations(this.#registered)
    await this.#checkStates()
  }

  /** At the end: rows of earlier kills are still there. */
  checkAll(): Promise<void> {
    return this.#checkRegistrations([...this.#earlier, ...this.#registered])
  }

  async #checkRegistrations(ids: readonly string[]): Promise<void> {
    const uuids = ids.map((id) => `'${parseId('dev', id)}'`)
    const rows = await this.#cluster.postgres.rows<{ found: number }>(
      `SELECT count(*)::int AS found FROM devices WHERE id IN (${uuids.join(',')})`,
    )
    const lost = uuids.length - (rows[0]?.found ?? 0)
    if (lost > 0) this.violations.push(`${lost} acknowledged registrations are lost`)
  }

  /** The state that a device last published and the broker acknowledged, or a later one. */
  async #checkStates(): Promise<void> {
    const { url, path, staff } = this.#place
    await until(
      'the last states of all devices are there',
      async () => {
        for (const device of this.#devices) {
          const { device_id: id } = device.login
          const received = await send(`${url}${path}/devices/${id}/state`, 'GET', staff)
          const number = Number(received?.body?.state?.number ?? 0)
          if (number < device.acknowledged) return false
        }
        return true
      },
      STATES_MS,
    ).catch((error: Error) => this.violations.push(error.message))
  }

  get summary(): string {
    const { registrations, reads, revocations } = this.acknowledged
    return (
      `${registrations} registrations, ${revocations} revocations and ${reads} reads were ` +
      `acknowledged; ${this.#revocations.probes} requests with revoked keys were sent`
    )
  }

  stop(): void {
    this.#isWanted = false
    for (const device of this.#devices) device.end()
    this.#revocations.end()
  }
}
