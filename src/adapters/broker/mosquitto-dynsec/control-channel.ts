/**
 * Sends commands to the dynamic security plugin, and the service's own messages, over one
 * automatically reconnecting MQTT connection. Responses are matched by correlation data.
 */
import type { IClientOptions, MqttClient } from 'mqtt'
import { withDeadline } from '../../../platform/lib/deadline.ts'
import { PendingRequests } from '../../../platform/lib/pending-requests.ts'
import { connectTo } from '../admin/mqtt-client.ts'
import { BrokerFailure } from '../admin/failure.ts'
import type { ExternalBrokerOptions } from '../external-port.ts'

const CONTROL_TOPIC = '$CONTROL/dynamic-security/v1'
const RESPONSE_TOPIC = `${CONTROL_TOPIC}/response`
const LOG_TOPIC = '$SYS/broker/log/#'
const RECONNECT_MS = 1_000

/** How the service connects as the broker's administrator. */
export type ControlChannelOptions = Omit<ExternalBrokerOptions, 'authorize'>

export interface Command {
  command: string
  [parameter: string]: unknown
}

export interface CommandResponse {
  /** The plugin's error; undefined if it succeeded. */
  error: string | undefined
  data: Readonly<Record<string, unknown>>
}

export interface ControlListener {
  /** Called after each connection, including the first, once commands work. */
  connected(): void
  /** Called after each disconnect. */
  lost(): void
  /** Called with the reason when connecting fails; it is retried. */
  failed(error: BrokerFailure): void
  /** A line that the broker wrote to its log topic. */
  logged(line: string): void
}

const TIMEOUT_MS = 5_000

/** Client options for connecting to the broker as the service. */
export function clientOptionsOf(options: ControlChannelOptions): IClientOptions {
  const { username, password, ca, timeoutMs = TIMEOUT_MS } = options
  return {
    username,
    password,
    protocolVersion: 5,
    connectTimeout: timeoutMs,
    clean: true,
    ...(ca !== undefined && { ca }),
  }
}

export class ControlChannel {
  readonly #options: ControlChannelOptions
  readonly #pending: PendingRequests<CommandResponse>
  readonly #listener: ControlListener
  /** To be called when the channel is connected next, or closed permanently. */
  readonly #absent = new Set<() => void>()
  #client: MqttClient | undefined

  constructor(options: ControlChannelOptions, listener: ControlListener) {
    this.#options = options
    this.#pending = new PendingRequests(options.timeoutMs ?? TIMEOUT_MS)
    this.#listener = listener
  }

  /** Starts connecting; later calls show whether it worked. */
  start(): void {
    this.#client = connectTo(this.#options.url, {
      ...clientOptionsOf(this.#options),
      reconnectPeriod: RECONNECT_MS,
      // A refusal ends when the user or password is corrected.
      reconnectOnConnackError: true,
      // A call without a connection fails by its own timeout; nothing may be sent late.
      queueQoSZero: false,
    })
    this.#client.on('message', (topic, payload) => {
      if (topic === RESPONSE_TOPIC) this.#read(payload.toString())
      else this.#listener.logged(payload.toString())
    })
    this.#client.on('connect', () => {
      this.#endWaits()
      void this.#open()
    })
    this.#client.on('error', (error) => {
      // If several addresses fail, the error has no message of its own.
      const what = `there is no connection to it: ${error.message || 'no address responds'}`
      this.#listener.failed(new BrokerFailure(this.#options.name, 'unreachable', what))
    })
    this.#client.on('close', () => {
      this.#loseAll()
      this.#listener.lost()
    })
  }

  async stop(): Promise<void> {
    this.#loseAll()
    this.#endWaits()
    await this.#client?.endAsync(true)
  }

  /**
   * Resolves with the plugin's response, even a refusal; throws if there is none.
   * @param until by `performance.now()`: nothing is sent after it
   */
  async ask(command: Command, until = Infinity): Promise<CommandResponse> {
    const client = await this.#live()
    const { name, timeoutMs = TIMEOUT_MS } = this.#options
    if (performance.now() > until) {
      throw new BrokerFailure(name, 'slow', `${command.command} had its turn too late`)
    }
    const response = await this.#pending.send((id) => {
      const commands = [{ ...command, correlationData: String(id) }]
      // QoS 0: the response says more than an acknowledgement and arrives sooner without one.
      client.publish(CONTROL_TOPIC, JSON.stringify({ commands }), { qos: 0 }, () => {})
    })
    if (response !== undefined) return response
    const what = `${command.command} got no response within ${timeoutMs} ms; does its user \
have the role of an administrator?`
    throw new BrokerFailure(name, 'slow', what)
  }

  /** Thousands may wait when a fleet changes, so nobody polls. */
  async #live(): Promise<MqttClient> {
    const { name, timeoutMs = TIMEOUT_MS } = this.#options
    const client = this.#client
    if (client?.connected === false && !client.disconnecting) {
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#absent.add(resolve)
      await withDeadline(timeoutMs, promise, () => {})
      this.#absent.delete(resolve)
    }
    if (client?.connected === true) return client
    throw new BrokerFailure(name, 'unreachable', 'there is no connection to it')
  }

  #endWaits(): void {
    for (const resolve of this.#absent) resolve()
  }

  async #open(): Promise<void> {
    try {
      await this.#client?.subscribeAsync([RESPONSE_TOPIC, LOG_TOPIC], { qos: 1 })
      this.#listener.connected()
    } catch {
      // Either the connection is gone and the next one retries, or this call gets no response,
      // which fails with its own message.
    }
  }

  #read(text: string): void {
    for (const { correlationData, ...response } of readResponses(text)) {
      this.#pending.receive(Number(correlationData), response)
    }
  }

  #loseAll(): void {
    const { name } = this.#options
    this.#pending.rejectAll(new BrokerFailure(name, 'unreachable', 'the connection to it ended'))
  }
}

interface ReadResponse extends CommandResponse {
  correlationData: string
}

const messageOf = (error: unknown): string | undefined =>
  error === undefined || typeof error === 'string' ? error : 'no words'

/** An unreadable response is ignored; its caller times out. */
function readResponses(text: string): ReadResponse[] {
  try {
    const { responses } = JSON.parse(text) as { responses?: unknown }
    return (Array.isArray(responses) ? responses : []).map((response: Record<string, unknown>) => ({
      correlationData: String(response.correlationData),
      error: messageOf(response.error),
      data: (response.data ?? {}) as Record<string, unknown>,
    }))
  } catch {
    return []
  }
}

/**
 * Ends any session with a client id by briefly taking it over.
 * Resolves when the session has been taken over; it ends when we disconnect. Throws if the broker
 * refuses us in any way, because a promise that never settles would block all further work on the
 * principal.
 */
export async function endSession(url: string, options: IClientOptions): Promise<void> {
  const client = connectTo(url, { ...options, clean: true, reconnectPeriod: 0 })
  try {
    await new Promise<void>((resolve, reject) => {
      client.once('connect', () => resolve())
      // For the client's lifetime: an unhandled error event would end the process.
      client.on('error', reject)
      client.on('close', () => reject(new Error('the connection was closed')))
    })
  } finally {
    await client.endAsync(true)
  }
}
