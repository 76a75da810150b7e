/**
 * Keys and devices are revoked all the time. From a second after the response, no process and no
 * broker may let them in, whatever was killed; connected devices are disconnected.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { as, type Headers } from '../../test/support/app.ts'
import { until } from '../../test/support/until.ts'
import type { Place } from './cluster.ts'
import { Device, isAdmitted, type Login } from './devices.ts'
import { type ResponseTimes, send } from './requests.ts'

interface Revoked {
  name: string
  /** When the revocation was acknowledged. */
  at: number
}

interface RevokedKey extends Revoked {
  headers: Headers
}

interface RevokedDevice extends Revoked {
  device: Device
}

/**
 * The time that a revocation may take to reach every process (ARCHITECTURE.md, "The change feed").
 */
const BOUND_MS = 1_000
/** For connected devices, where many changes are made at once (docs/brokers/rabbitmq.md). */
const ENDED_MS = 60_000
const REVOKE_EVERY_MS = 300
const PROBE_EVERY_MS = 30
const RECENT = 10
const KEY_PATH = '/provision/device-templates'

export class Revocations {
  readonly #place: Place
  readonly #violate: (what: string) => void
  readonly #register: () => Promise<Login>
  #keys: { id: string; headers: Headers }[] = []
  #devices: Device[] = []
  readonly #revokedKeys: RevokedKey[] = []
  #revokedDevices: RevokedDevice[] = []
  probes = 0

  constructor(place: Place, register: () => Promise<Login>, violate: (what: string) => void) {
    this.#place = place
    this.#register = register
    this.#violate = violate
  }

  get counts(): { keys: number; devices: number } {
    return { keys: this.#revokedKeys.length, devices: this.#revokedDevices.length }
  }

  /** Makes what is revoked during the next load: keys that work, and devices that are connected. */
  async prepare(keys: number, devices: number): Promise<void> {
    const { url, path, staff } = this.#place
    for (let made = 0; made < keys; made += 1) {
      const body = { key_kind: 'provision' }
      const received = await send(`${url}${path}/api-keys`, 'POST', staff, body)
      if (received?.status !== 201) throw new Error(`no key was made: ${received?.status}`)
      const { id, key } = received.body as { id: string; key: string }
      this.#keys.push({ id, headers: as.factory(key) })
    }
    for (const { headers } of this.#keys) {
      const used = await send(`${url}${KEY_PATH}`, 'GET', headers)
      if (used?.status !== 200) throw new Error(`a new key is refused: ${used?.status}`)
    }
    const logins = await Promise.all(Array.from({ length: devices }, () => this.#register()))
    const connected = logins.map((login) => new Device(login, (device) => this.#admitted(device)))
    this.#devices.push(...connected)
    await until('the devices that will be revoked are connected', () =>
      connected.every((device) => device.isConnected),
    )
  }

  #admitted(device: Device): void {
    const revoked = this.#revokedDevices.find((each) => each.device === device)
    if (revoked === undefined || performance.now() - revoked.at < BOUND_MS) return
    this.#violate(`${revoked.name} connected after it was revoked`)
  }

  /** Revokes one after the other until the load ends. */
  async load(responseTimes: ResponseTimes, isWanted: () => boolean): Promise<void> {
    const { url, path, staff } = this.#place
    const remove = (what: string): Promise<unknown> =>
      responseTimes.persist(() => send(`${url}${path}/${what}`, 'DELETE', staff))
    while (isWanted()) {
      const key = this.#keys.shift()
      if (key !== undefined) {
        await remove(`api-keys/${key.id}`)
        this.#revokedKeys.push({ name: key.id, at: performance.now(), headers: key.headers })
      }
      const device = this.#devices.shift()
      if (device !== undefined) {
        const name = device.login.device_id
        await remove(`devices/${name}`)
        this.#revokedDevices.push({ name, at: performance.now(), device })
      }
      await sleep(REVOKE_EVERY_MS)
    }
  }

  /** Tries revoked keys at every process while others are killed. */
  async probe(isWanted: () => boolean): Promise<void> {
    while (isWanted()) {
      for (const url of this.#place.urls) await this.#probeAt(url)
      await sleep(PROBE_EVERY_MS)
    }
  }

  async #probeAt(url: string): Promise<void> {
    const due = this.#revokedKeys
      .slice(-RECENT)
      .filter(({ at }) => performance.now() - at > BOUND_MS)
    const key = due[Math.floor(Math.random() * due.length)]
    if (key === undefined) return
    const received = await send(`${url}${KEY_PATH}`, 'GET', key.headers)
    if (received !== undefined) this.probes += 1
    if (received?.status === 200) this.#violate(`${key.name} works after it was revoked`)
  }

  /** With all up again: every process and every broker refuses what was revoked in this load. */
  async check(since: number, mqttPorts: readonly number[]): Promise<void> {
    for (const { name, headers } of this.#revokedKeys.filter(({ at }) => at >= since)) {
      for (const url of this.#place.urls) {
        const received = await send(`${url}${KEY_PATH}`, 'GET', headers)
        if (received?.status !== 401) this.#violate(`${name} is answered with ${received?.status}`)
      }
    }
    const devices = this.#revokedDevices.filter(({ at }) => at >= since)
    await until(
      'revoked devices are disconnected',
      () => devices.every(({ device }) => !device.isConnected),
      ENDED_MS,
    ).catch((error: Error) => this.#violate(error.message))
    for (const { name, device } of devices) {
      device.end()
      for (const port of mqttPorts) {
        if ((await isAdmitted(device.login, port)) === true) {
          this.#violate(`${name} is admitted by the broker at ${port} after it was revoked`)
        }
      }
    }
  }

  end(): void {
    for (const device of this.#devices) device.end()
    for (const { device } of this.#revokedDevices) device.end()
  }
}
