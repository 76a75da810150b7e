/** Real MQTT clients that are ended with their test, and what they saw. */
import type { TestContext } from 'node:test'
import { connect, type IClientOptions, type IClientPublishOptions, type MqttClient } from 'mqtt'
import type { Credential } from './test-authority.ts'
import { eventually } from './eventually.ts'

export type Version = 4 | 5

export const VERSIONS: readonly Version[] = [4, 5]

/** The record of a client: messages as `topic=payload`, and how its connection ended. */
export interface Watched {
  client: MqttClient
  messages: string[]
  /** The reason code of the broker's DISCONNECT, in MQTT 5. */
  disconnectCode: number | undefined
  closed: boolean
}

export interface ConnectOptions extends IClientOptions {
  protocolVersion: Version
}

function create(t: TestContext, port: number, options: IClientOptions): Watched {
  const client = connect(`mqtt://127.0.0.1:${port}`, {
    reconnectPeriod: 0,
    connectTimeout: 90_000,
    ...options,
  })
  const watched: Watched = { client, messages: [], disconnectCode: undefined, closed: false }
  client.on('message', (topic, payload) => watched.messages.push(`${topic}=${String(payload)}`))
  client.on('disconnect', ({ reasonCode }) => (watched.disconnectCode = reasonCode))
  client.on('close', () => (watched.closed = true))
  // An error without a listener would end the process; tests look at what it leads to.
  client.on('error', () => {})
  t.after(() => client.end(true))
  return watched
}

function identity(credential: Credential): IClientOptions {
  const { clientId, username, password } = credential
  return { clientId, username, password }
}

/** Connects and waits for the CONNACK. */
export async function connected(
  t: TestContext,
  port: number,
  credential: Credential,
  options: ConnectOptions,
): Promise<Watched> {
  const watched = create(t, port, { ...identity(credential), ...options })
  await new Promise<void>((resolve, reject) => {
    watched.client.once('connect', () => resolve())
    watched.client.once('error', reject)
    watched.client.once('close', () => reject(new Error('The connection was closed.')))
  })
  return watched
}

/** Options with which a session outlives its connection. */
export const durable = (version: Version): ConnectOptions => ({
  protocolVersion: version,
  clean: false,
  ...(version === 5 ? { properties: { sessionExpiryInterval: 600 } } : {}),
})

/** Connects and gives the code of the CONNACK that refuses. */
export async function refusal(
  t: TestContext,
  port: number,
  credential: Credential,
  options: ConnectOptions,
): Promise<number> {
  const watched = create(t, port, { ...identity(credential), ...options })
  const error = await new Promise<unknown>((resolve, reject) => {
    watched.client.once('error', resolve)
    watched.client.once('connect', () => reject(new Error('The client was accepted.')))
    watched.client.once('close', () => reject(new Error('There was no CONNACK.')))
  })
  await eventually(() => watched.closed, 'the close after a refusal')
  return codeOf(error)
}

/** Publishes and gives the reason code of the acknowledgement; 0 where there is none. */
export async function publish(
  { client }: Watched,
  topic: string,
  options: IClientPublishOptions = {},
  payload = 'x',
): Promise<number> {
  try {
    await client.publishAsync(topic, payload, options)
    return 0
  } catch (error) {
    return codeOf(error)
  }
}

/** Subscribes and gives the granted QoS or the reason code of each filter, in order. */
export async function subscribe(
  { client }: Watched,
  filters: string | string[],
  qos: 0 | 1 | 2 = 0,
): Promise<number[]> {
  return await new Promise((resolve, reject) => {
    client.subscribe(filters, { qos }, (error, _, packet) => {
      if (packet?.granted !== undefined) resolve(packet.granted as number[])
      else reject(error ?? new Error('There was no SUBACK.'))
    })
  })
}

/** Waits until the client has got this message. */
export async function gets({ messages }: Watched, message: string): Promise<void> {
  await eventually(() => messages.includes(message), message)
}

function codeOf(error: unknown): number {
  const code = (error as { code?: unknown }).code
  if (typeof code !== 'number') throw error
  return code
}
