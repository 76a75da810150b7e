/**
 * The service as an MQTT client of an external broker. Messages are acknowledged after they have
 * been handled, and queue at the broker while disconnected: all processes share one client id and
 * its persistent session.
 */
import type { IClientOptions, MqttClient, Packet } from 'mqtt'
import { connectTo } from '../admin/mqtt-client.ts'
import { LogThrottle } from '../../../platform/lib/log-throttle.ts'
import { describeSystemError } from '../../../platform/lib/system-errors.ts'
import type { BrokerEntry } from '../broker-entry.ts'
import type { Bridge, BridgeOptions } from '../bridge-port.ts'
import type { Message } from '../port.ts'

const RECONNECT_MS = 1_000
const CONNECT_MS = 5_000
const PUBLISH_MS = 5_000

type Login = NonNullable<BrokerEntry['mqtt']>

interface Publish extends Message {
  cmd: 'publish'
}

const isPublish = (packet: Packet): packet is Packet & Publish => packet.cmd === 'publish'

function optionsOf(
  { username, password, ca }: Login,
  { clientId, isTransient = false }: BridgeOptions,
): IClientOptions {
  return {
    protocolVersion: 4,
    clean: isTransient,
    clientId,
    username,
    password,
    reconnectPeriod: RECONNECT_MS,
    // Even a refusal may be temporary: a corrected password, a hook that could not decide.
    reconnectOnConnackError: true,
    connectTimeout: CONNECT_MS,
    // A publish that waited for a connection would arrive long after its caller gave up.
    queueQoSZero: false,
    ...(ca !== undefined && { ca }),
  }
}

/** Processes messages one at a time, each to the end before the next is read. */
function takeOver(client: MqttClient, { onMessage, warn }: BridgeOptions): void {
  client.handleMessage = (packet, done) => {
    if (!isPublish(packet)) {
      done()
      return
    }
    const { topic, qos, retain } = packet
    const payload = Buffer.from(packet.payload)
    onMessage({ topic, payload, qos, retain, isOld: retain }).then(
      () => done(),
      (error: unknown) => {
        warn('a message of a bridge was lost', error)
        done()
      },
    )
  }
}

async function publish(client: MqttClient, message: Message): Promise<void> {
  if (!client.connected) throw new Error('The bridge is not connected.')
  const { topic, payload, qos, retain } = message
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    const fail = (): void => reject(new Error('The broker did not acknowledge in time.'))
    timer = setTimeout(fail, PUBLISH_MS)
  })
  try {
    await Promise.race([client.publishAsync(topic, payload, { qos, retain }), late])
  } finally {
    clearTimeout(timer)
  }
}

/** Connects and stays connected until stopped. */
export function openBridge(login: Login, options: BridgeOptions): Bridge {
  const { filters, isTransient, warn } = options
  const client = connectTo(login.url, optionsOf(login, options))
  const throttle = new LogThrottle()
  let problem: string | null = 'it is not connected yet'
  const report = (message: string, error: unknown): void => {
    problem = `${message}: ${describeSystemError(error)}`
    if (throttle.isDue()) warn(message, error)
  }
  takeOver(client, options)
  client.on('close', () => {
    problem ??= 'the connection was closed'
    // Otherwise the library would resend unacknowledged messages after reconnecting, when their
    // senders have long been told that they failed.
    for (const id of Object.keys(client.outgoing)) client.removeOutgoingMessage(Number(id))
  })
  client.on('error', (error) => report('a bridge is not connected', error))
  client.on('connect', () => {
    client.subscribe(
      [...filters],
      { qos: isTransient === true ? 0 : 1 },
      (error, _grants, packet) => {
        const refused = filters.filter((_, at) => Number(packet?.granted?.[at] ?? 0) >= 128)
        if (error !== null) report('a bridge could not subscribe', error)
        else if (refused.length > 0)
          report('a bridge may not subscribe', new Error(refused.join(' ')))
        else problem = null
      },
    )
  })
  return {
    publish: (message) => publish(client, message),
    problem: () => problem,
    stop: () => client.endAsync(true),
  }
}
