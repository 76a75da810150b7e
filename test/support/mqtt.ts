/** MQTT clients as devices use them. */
import mqtt, { type IClientOptions, type MqttClient } from 'mqtt'
import { defer } from './cleanup.ts'
import type { TestContext } from 'node:test'

export interface DeviceLogin {
  device_id: string
  mqtt_password: string
  mqtt_port: number
}

export interface ConnectOutcome {
  /** 0, or the CONNACK's reason code. */
  code: number
  client: MqttClient
}

/** Tries once; never reconnects. */
export async function tryConnect(
  t: Pick<TestContext, 'after'>,
  login: DeviceLogin,
  options: IClientOptions = {},
): Promise<ConnectOutcome> {
  const client = mqtt.connect({
    host: '127.0.0.1',
    port: login.mqtt_port,
    username: login.device_id,
    password: login.mqtt_password,
    clientId: login.device_id,
    protocolVersion: 4,
    reconnectPeriod: 0,
    connectTimeout: 90_000,
    ...options,
  })
  defer(t, () => client.end(true))
  client.on('error', () => {})
  return new Promise((resolve) => {
    client.once('connect', () => resolve({ code: 0, client }))
    client.once('error', (error: Error & { code?: number }) =>
      resolve({ code: typeof error.code === 'number' ? error.code : -1, client }),
    )
  })
}

export async function connectDevice(
  t: Pick<TestContext, 'after'>,
  login: DeviceLogin,
  options: IClientOptions = {},
): Promise<MqttClient> {
  const { code, client } = await tryConnect(t, login, options)
  if (code !== 0) throw new Error(`the broker refused with ${code}`)
  return client
}

/** Resolves when the broker has closed the connection. */
export const closed = (client: MqttClient): Promise<void> =>
  client.connected
    ? new Promise((resolve) => client.once('close', () => resolve()))
    : Promise.resolve()
