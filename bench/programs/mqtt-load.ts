/**
 * A fleet that connects: prepared CONNECTs (MQTT 3.1.1) on bare sockets, a bounded number at a
 * time, each held until all have been answered.
 */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import type { SeededDevice } from '../support/seed.ts'
import { answerCalls } from '../support/worker.ts'

/** A UTF-8 string as MQTT writes it; section 1.5.3. */
function mqttText(text: string): Buffer {
  const bytes = Buffer.from(text)
  const length = Buffer.alloc(2)
  length.writeUInt16BE(bytes.length)
  return Buffer.concat([length, bytes])
}

const PROTOCOL_LEVEL = 4
/** User name, password, clean session; section 3.1.2.3. */
const FLAGS = 0b1100_0010
const KEEP_ALIVE_SECONDS = 600

function connectPacket({ id, mqttPassword }: SeededDevice): Buffer {
  const body = Buffer.concat([
    mqttText('MQTT'),
    Buffer.of(PROTOCOL_LEVEL, FLAGS, KEEP_ALIVE_SECONDS >> 8, KEEP_ALIVE_SECONDS & 0xff),
    mqttText(id),
    mqttText(id),
    mqttText(mqttPassword),
  ])
  // Two bytes of length hold up to 16,383; section 2.2.3.
  const length = Buffer.of((body.length & 0x7f) | 0x80, body.length >> 7)
  return Buffer.concat([Buffer.of(0x10), length, body])
}

const ACCEPTED = Buffer.of(0x20, 0x02, 0x00, 0x00)
const DISCONNECT = Buffer.of(0xe0, 0x00)
const FAREWELL_MS = 5_000

let packets: Buffer[] = []
let held: Socket[] = []

/** Resolves with the CONNACK that lets it in. */
function connectOne(port: number, packet: Buffer): Promise<void> {
  const done = Promise.withResolvers<void>()
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  held.push(socket)
  socket.once('connect', () => socket.write(packet))
  socket.once('error', done.reject)
  socket.once('data', (answer: Buffer) => {
    if (answer.equals(ACCEPTED)) done.resolve()
    else done.reject(new Error(`a CONNECT was answered by ${answer.toString('hex')}`))
  })
  return done.promise
}

const methods = {
  async load({ devices }: { devices: SeededDevice[] }): Promise<void> {
    packets = devices.map(connectPacket)
  },

  /**
   * Connects devices from the given one on, until the time is over. @returns CONNECTs per second.
   */
  async connect(argument: {
    port: number
    from: number
    count: number
    clients: number
    seconds: number
  }): Promise<number> {
    const { port, from, count, clients, seconds } = argument
    const started = performance.now()
    const until = started + seconds * 1_000
    let next = from
    let answered = 0
    const drive = async (): Promise<void> => {
      while (next < from + count && performance.now() < until) {
        const packet = packets[next] as Buffer
        next += 1
        await connectOne(port, packet)
        answered += 1
      }
    }
    await Promise.all(Array.from({ length: clients }, drive))
    return answered / ((performance.now() - started) / 1_000)
  },

  /** Lets all devices say goodbye; resolves when the broker has closed their sockets. */
  async leave(_argument: undefined): Promise<void> {
    const leaving = held
    held = []
    const closed = leaving.map((socket) => once(socket.resume(), 'close'))
    for (const socket of leaving) socket.end(DISCONNECT)
    const timer = setTimeout(() => leaving.forEach((socket) => socket.destroy()), FAREWELL_MS)
    await Promise.all(closed)
    clearTimeout(timer)
  },
}
export type MqttLoadProgram = typeof methods

answerCalls(methods)
