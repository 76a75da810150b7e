/** Connected devices: each publishes its state, and connects again when it was disconnected. */
import mqtt, { type MqttClient } from 'mqtt'
import { setTimeout as sleep } from 'node:timers/promises'

/** The data that a registration gives to a device. */
export interface Login {
  device_id: string
  device_key: string
  workspace_slug: string
  mqtt_username: string
  mqtt_password: string
  mqtt_port: number
}

const PUBLISH_EVERY_MS = 1_000
const WAIT_MS = [500, 1_500] as const
const CONNECT_MS = 10_000

const optionsOf = (login: Login, port = login.mqtt_port): mqtt.IClientOptions => ({
  host: '127.0.0.1',
  port,
  protocolVersion: 4,
  clientId: login.mqtt_username,
  username: login.mqtt_username,
  password: login.mqtt_password,
  connectTimeout: CONNECT_MS,
})

/** @returns whether the broker lets the device in; undefined if it does not answer */
export async function isAdmitted(login: Login, port: number): Promise<boolean | undefined> {
  const client = mqtt.connect({ ...optionsOf(login, port), reconnectPeriod: 0 })
  try {
    return await new Promise((resolve) => {
      client.once('connect', () => resolve(true))
      client.once('error', (error: Error & { code?: unknown }) =>
        resolve(typeof error.code === 'number' ? false : undefined),
      )
      client.once('close', () => resolve(undefined))
    })
  } finally {
    client.end(true)
  }
}

export class Device {
  readonly login: Login
  readonly #client: MqttClient
  readonly #onConnect: (device: Device) => void
  #lostAt: number[] = []
  #connectedAt = 0
  #number = 0
  /** The highest number whose publication the broker acknowledged. */
  acknowledged = 0

  constructor(login: Login, onConnect: (device: Device) => void = () => {}) {
    this.login = login
    this.#onConnect = onConnect
    const [min, max] = WAIT_MS
    this.#client = mqtt.connect({
      ...optionsOf(login),
      reconnectPeriod: min + Math.random() * (max - min),
      reconnectOnConnackError: true,
      // A request that waited for a connection would be old.
      queueQoSZero: false,
    })
    this.#client.on('error', () => {})
    this.#client.on('connect', () => {
      this.#connectedAt = performance.now()
      this.#onConnect(this)
    })
    this.#client.on('close', () => {
      if (this.#connectedAt > (this.#lostAt.at(-1) ?? 0)) this.#lostAt.push(performance.now())
    })
  }

  get isConnected(): boolean {
    return this.#client.connected
  }

  get connectedAt(): number {
    return this.#connectedAt
  }

  /** Whether its connection was lost at that time or later. */
  wasLostSince(time: number): boolean {
    return this.#lostAt.some((at) => at >= time)
  }

  /** Publishes its next state with QoS 1; at once, if it is connected. */
  publish(): void {
    if (!this.isConnected) return
    this.#number += 1
    const number = this.#number
    const { workspace_slug: slug, device_key: key } = this.login
    this.#client.publish(
      `${slug}/${key}/state`,
      JSON.stringify({ number }),
      { qos: 1 },
      (error) => {
        if (!error) this.acknowledged = Math.max(this.acknowledged, number)
      },
    )
  }

  end(): void {
    this.#client.end(true)
  }
}

/** Publishes with all of them, spread over the period, while it is wanted. */
export async function publishWhile(
  devices: readonly Device[],
  isWanted: () => boolean,
): Promise<void> {
  while (isWanted()) {
    for (const device of devices) {
      device.publish()
      await sleep(PUBLISH_EVERY_MS / devices.length)
      if (!isWanted()) return
    }
  }
}
