/** The MQTT client of an examination: connects once, collects messages, never reconnects. */
import { setTimeout as sleep } from 'node:timers/promises'
import { connect, type IClientOptions, type MqttClient } from 'mqtt'
import { withDeadline } from '../../../platform/lib/deadline.ts'
import { describeSystemError } from '../../../platform/lib/system-errors.ts'
import { type Login, Unreachable } from './examination.ts'

/** Timeout for one response of the broker, in milliseconds. */
const RESPONSE_TIMEOUT_MS = 10_000
/** Timeout for the delivery of a message, in milliseconds. */
export const DELIVERY_MS = 1_500

export interface Client {
  mqtt: MqttClient
  /** Topics of received messages, in order. */
  heard: string[]
  isClosed(): boolean
  end(): void
}

export type Attempt = { admitted: true; client: Client } | { admitted: false; why: string }

const networkErrors = ['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH', 'ENETUNREACH', 'EAI_AGAIN']

function settle(started: MqttClient): Promise<true | string> {
  const settled = new Promise<true | string>((resolve, reject) => {
    started.once('connect', () => resolve(true))
    started.once('close', () => resolve('the connection was closed'))
    started.on('error', (error: Error & { code?: unknown }) => {
      const { code } = error
      const message = describeSystemError(error)
      if (typeof code === 'number') resolve(`refused with code ${code}`)
      else if (networkErrors.includes(String(code))) reject(new Unreachable(message))
      else resolve(message === '' ? String(code) : message)
    })
  })
  return withDeadline(RESPONSE_TIMEOUT_MS, settled, () => 'no response')
}

/**
 * Tries to connect.
 * @throws Unreachable if nothing listens
 */
export async function attempt(url: URL, options: IClientOptions): Promise<Attempt> {
  const mqtt = connect(url.href, {
    protocolVersion: 4,
    clean: true,
    reconnectPeriod: 0,
    connectTimeout: RESPONSE_TIMEOUT_MS,
    // Another probe verifies the certificate, and these logins are worthless elsewhere.
    rejectUnauthorized: false,
    ...options,
  })
  const heard: string[] = []
  let closed = false
  mqtt.on('message', (topic) => heard.push(topic))
  mqtt.on('close', () => (closed = true))
  const outcome = await settle(mqtt).catch((error: unknown) => {
    mqtt.end(true)
    throw error
  })
  if (outcome === true) {
    const end = (): void => void mqtt.end(true)
    return { admitted: true, client: { mqtt, heard, isClosed: () => closed, end } }
  }
  mqtt.end(true)
  return { admitted: false, why: outcome }
}

export const loginOptions = ({ username, password, clientId }: Login): IClientOptions => ({
  username,
  password,
  clientId,
})

/** Connects with a login that must be accepted. */
export async function admitted(url: URL, login: Login, more: IClientOptions = {}): Promise<Client> {
  const outcome = await attempt(url, { ...loginOptions(login), ...more })
  if (outcome.admitted) return outcome.client
  throw new Error(`a valid login was refused (${outcome.why})`)
}

/** Subscribes. @returns whether the broker granted it */
export async function subscribes(client: Client, filter: string): Promise<boolean> {
  if (client.isClosed()) return false
  const granted = new Promise<boolean>((resolve) => {
    client.mqtt.subscribe(filter, { qos: 1 }, (error, _grants, packet) => {
      const codes = (packet?.granted ?? []) as number[]
      resolve(codes.length > 0 ? codes.every((code) => code < 128) : error === null)
    })
    client.mqtt.once('close', () => resolve(false))
  })
  return withDeadline(RESPONSE_TIMEOUT_MS, granted, () => false)
}

/** Publishes, whether or not the broker accepts it. */
export async function publishes(client: Client, topic: string, retain = false): Promise<void> {
  if (client.isClosed()) return
  const sent = client.mqtt.publishAsync(topic, '{"probe":true}', { qos: 1, retain })
  const settled = sent.catch(() => {})
  await withDeadline(DELIVERY_MS, settled, () => {})
}

/** Waits up to a time for a condition. @returns whether it came true */
export const comesTrue = (check: () => boolean, milliseconds: number): Promise<boolean> =>
  comesTrueSoon(() => Promise.resolve(check()), milliseconds)

/** The same for an asynchronous check. */
export async function comesTrueSoon(
  check: () => Promise<boolean>,
  milliseconds: number,
): Promise<boolean> {
  const until = Date.now() + milliseconds
  while (!(await check())) {
    const isOver = Date.now() >= until
    // If this process was busy, messages that arrived in time may not have been read yet.
    await sleep(25)
    if (isOver) return check()
  }
  return true
}
