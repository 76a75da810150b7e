/**
 * A connecting fleet: prepared CONNECTs (MQTT 3.1.1) on plain sockets, a bounded number at a time,
 * each kept open until all have been answered.
 */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import { acceptedConnect, connectPacket, DISCONNECT } from '../support/mqtt-packets.ts'
import type { SeededDevice } from '../support/seed.ts'
import { respondCalls } from '../support/worker.ts'

const CLOSE_MS = 5_000

let packets: Buffer[] = []
let held: Socket[] = []

/** A broker limits the CONNECTs of an address. Linux has all of 127.0.0.0/8 as its own. */
const ADDRESSES = process.platform === 'linux' ? 100 : 1

const addressOf = (at: number): string => `127.0.0.${1 + (at % ADDRESSES)}`

/** Resolves with the CONNACK that lets it in. */
function connectOne(port: number, packet: Buffer, localAddress: string): Promise<void> {
  const done = Promise.withResolvers<void>()
  const socket = connect({ port, host: '127.0.0.1', localAddress, noDelay: true })
  held.push(socket)
  socket.once('connect', () => socket.write(packet))
  socket.once('error', done.reject)
  socket.once('data', (response: Buffer) => {
    if (acceptedConnect(response)) done.resolve()
    else done.reject(new Error(`a CONNECT was answered by ${response.toString('hex')}`))
  })
  return done.promise
}

const methods = {
  async load({ devices }: { devices: SeededDevice[] }): Promise<void> {
    packets = devices.map((device) => connectPacket(device))
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
    let responded = 0
    const drive = async (): Promise<void> => {
      while (next < from + count && performance.now() < until) {
        const packet = packets[next] as Buffer
        next += 1
        await connectOne(port, packet, addressOf(next))
        responded += 1
      }
    }
    await Promise.all(Array.from({ length: clients }, drive))
    return responded / ((performance.now() - started) / 1_000)
  },

  /** Lets all devices say goodbye; resolves when the broker has closed their sockets. */
  async leave(_argument: undefined): Promise<void> {
    const leaving = held
    held = []
    const closed = leaving.map((socket) => once(socket.resume(), 'close'))
    for (const socket of leaving) socket.end(DISCONNECT)
    const timer = setTimeout(() => leaving.forEach((socket) => socket.destroy()), CLOSE_MS)
    await Promise.all(closed)
    clearTimeout(timer)
  },
}
export type MqttLoadProgram = typeof methods

respondCalls(methods)
