/**
 * Messages of clients of MQTT 3.1.1 on plain sockets: many publishers and one subscriber, or one
 * publisher and many subscribers. A publisher has a bounded number of messages on their way: each
 * that has come to all subscribers makes room for another.
 */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { acceptedConnect, connectPacket, DISCONNECT, mqttText } from '../support/mqtt-packets.ts'
import type { User } from './mosquitto.ts'
import { respondCalls } from '../support/worker.ts'

export interface Flow {
  port: number
  qos: 0 | 1
  publishers: readonly User[]
  subscribers: readonly User[]
  /** The filter that all of them subscribe to. */
  filter: string
  /** The event that makes room for another message, and is counted; deliveries by default. */
  counted?: 'acknowledgements'
  /** Whether the sessions of subscribers outlast their connections; each run has new ones. */
  keepsSessions?: boolean
  isRetained?: boolean
}

const PAYLOAD_BYTES = 100
/** Messages of one publisher that are on their way. */
const WINDOW = 8

const shortPacket = (first: number, ...parts: Buffer[]): Buffer => {
  const body = Buffer.concat(parts)
  return Buffer.concat([Buffer.of(first, (body.length & 0x7f) | 0x80, body.length >> 7), body])
}

/** The members that every PUBLISH of a client has in common. */
interface Publishing {
  qos: 0 | 1
  isRetained: boolean
}

/** Publishes as the client of this number, which stands at the start of the payload. */
function publishPacketOf(
  number: number,
  { id }: User,
  { qos, isRetained }: Publishing,
  messageId: number,
): Buffer {
  const payload = Buffer.alloc(PAYLOAD_BYTES)
  payload.writeUInt16BE(number)
  const identifier = qos === 0 ? [] : [Buffer.of(messageId >> 8, messageId & 0xff)]
  const topic = mqttText(`bench/${id}/telemetry`)
  return shortPacket(0x30 | (qos << 1) | Number(isRetained), topic, ...identifier, payload)
}

/**
 * Calls back with each packet: its first byte, and where its body ends; and at the end of what came
 * at once.
 */
function readPackets(
  socket: Socket,
  take: (first: number, bytes: Buffer, to: number) => void,
  done: () => void,
): void {
  let rest: Buffer | undefined
  socket.on('data', (chunk: Buffer) => {
    const bytes = rest === undefined ? chunk : Buffer.concat([rest, chunk])
    let at = 0
    for (;;) {
      let body = at + 1
      let length = 0
      let factor = 1
      let next = 0x80
      while (next >= 0x80 && body < bytes.length) {
        next = bytes[body] as number
        length += (next & 0x7f) * factor
        factor *= 0x80
        body += 1
      }
      if (next >= 0x80 || body + length > bytes.length) break
      take(bytes[at] as number, bytes, body + length)
      at = body + length
    }
    rest = at < bytes.length ? bytes.subarray(at) : undefined
    done()
  })
}

async function open(port: number, user: User, keepsAs?: string): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  await once(socket, 'connect')
  socket.write(connectPacket(user, keepsAs === undefined ? {} : { keeps: true, clientId: keepsAs }))
  const [response] = (await once(socket, 'data')) as [Buffer]
  if (!acceptedConnect(response))
    throw new Error(`a CONNECT was answered by ${response.toString('hex')}`)
  return socket
}

let runs = 0

const methods = {
  /** @returns messages per second that came to their subscribers, or were acknowledged. */
  async flow({ flow, seconds }: { flow: Flow; seconds: number }): Promise<number> {
    const { port, qos, publishers, subscribers, filter, keepsSessions, isRetained = false } = flow
    const countsAcknowledgements = flow.counted === 'acknowledgements'
    runs += 1
    let delivered = 0
    let isOver = false
    const writers: Socket[] = []
    const messageIds = publishers.map(() => 0)
    const publish = (number: number): void => {
      const messageId = ((messageIds[number] ?? 0) % 65_535) + 1
      messageIds[number] = messageId
      writers[number]?.write(
        publishPacketOf(number, publishers[number] as User, { qos, isRetained }, messageId),
      )
    }
    const came = (number: number): void => {
      delivered += 1
      if (isOver || (subscribers.length > 1 && delivered % subscribers.length > 0)) return
      publish(number)
    }
    const acknowledged = (number: number): void => {
      delivered += 1
      if (!isOver) publish(number)
    }
    const readers: Socket[] = []
    for (const user of subscribers) {
      const socket = await open(port, user, keepsSessions ? `${user.id}:${runs}` : undefined)
      readers.push(socket)
      socket.write(shortPacket(0x82, Buffer.of(0, 1), mqttText(filter), Buffer.of(qos)))
      await once(socket, 'data')
      const acknowledgements: number[] = []
      const take = (first: number, bytes: Buffer, to: number): void => {
        if (first >> 4 !== 3 || isOver) return
        const id = to - PAYLOAD_BYTES - 2
        if (qos > 0) acknowledgements.push(0x40, 2, bytes[id] as number, bytes[id + 1] as number)
        if (!countsAcknowledgements) came(bytes.readUInt16BE(to - PAYLOAD_BYTES))
      }
      readPackets(socket, take, () => {
        const sent = acknowledgements.splice(0)
        if (sent.length > 0 && !isOver) socket.write(Buffer.from(sent))
      })
    }
    for (const [number, user] of publishers.entries()) {
      const socket = await open(port, user)
      writers.push(socket)
      if (!countsAcknowledgements) socket.resume()
      else
        readPackets(
          socket,
          (first) => void (first >> 4 === 4 && acknowledged(number)),
          () => {},
        )
    }
    const started = performance.now()
    for (const number of publishers.keys()) {
      for (let sent = 0; sent < WINDOW; sent += 1) publish(number)
    }
    await sleep(seconds * 1_000)
    const rate = delivered / ((performance.now() - started) / 1_000)
    isOver = true
    const all = [...readers, ...writers]
    const closed = all.map((socket) => once(socket, 'close'))
    for (const socket of all) socket.end(DISCONNECT)
    await Promise.all(closed)
    return rate
  },
}
export type MessageLoadProgram = typeof methods

respondCalls(methods)
