/**
 * The service as an MQTT client of an external broker. Messages are acknowledged after they have
 * been handled, and queue at the broker until then: all processes share one client id and its
 * persistent session.
 */
import type { IClientOptions, MqttClient, Packet } from 'mqtt'
import { connectTo } from '../admin/mqtt-client.ts'
import { withDeadline } from '../../../platform/lib/deadline.ts'
import { LogThrottle } from '../../../platform/lib/log-throttle.ts'
import { describeSystemError } from '../../../platform/lib/system-errors.ts'
import type { BrokerEntry } from '../broker-entry.ts'
import type { Bridge, BridgeOptions } from '../bridge-port.ts'
import type { Message } from '../port.ts'

const RECONNECT_MS = 1_000
const CONNECT_MS = 5_000
const PUBLISH_MS = 5_000
/** Messages that are being handled; the broker keeps the others. */
const MAX_HANDLED = 200

type Login = NonNullable<BrokerEntry['mqtt']>

interface Publish extends Message {
  cmd: 'publish'
  /** With QoS 1. */
  messageId?: number
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

/** A PUBACK (MQTT 3.1.1, 3.4). */
const acknowledgementOf = (id: number): Buffer => Buffer.from([0x40, 2, id >> 8, id & 0xff])

/** With an error the library continues with the next packet, and does not acknowledge this one. */
const LATER = new Error('It is acknowledged later.')

/**
 * Takes messages as they come, and acknowledges each once it has been handled, in their order. The
 * library itself would acknowledge before it passes on the next, so one commit would serve a single
 * message.
 */
function takeOver(client: MqttClient, { onMessage, warn }: BridgeOptions): void {
  let handled = 0
  let proceed = (): void => {}
  let before: Promise<unknown> = Promise.resolve()
  client.handleMessage = (packet, done) => {
    if (!isPublish(packet)) {
      done()
      return
    }
    const { topic, qos, retain, messageId } = packet
    const { stream } = client
    const payload = Buffer.from(packet.payload)
    const present = onMessage({ topic, payload, qos, retain, isOld: retain }).catch(
      (error: unknown) => warn('a message of a bridge was lost', error),
    )
    handled += 1
    before = Promise.all([before, present]).then(() => {
      handled -= 1
      // On another connection the identifier may stand for another message.
      const isOpen = stream === client.stream && !stream.destroyed
      if (messageId !== undefined && isOpen) stream.write(acknowledgementOf(messageId))
      proceed()
    })
    proceed = () => {
      if (handled >= MAX_HANDLED) return
      proceed = () => {}
      done(LATER)
    }
    proceed()
  }
}

async function publish(client: MqttClient, message: Message): Promise<void> {
  if (!client.connected) throw new Error('The bridge is not connected.')
  const { topic, payload, qos, retain } = message
  await withDeadline(PUBLISH_MS, client.publishAsync(topic, payload, { qos, retain }), () => {
    throw new Error('The broker did not acknowledge in time.')
  })
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
    // senders have received their failure long ago.
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
