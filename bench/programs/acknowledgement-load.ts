/**
 * A fleet that publishes at a given rate, with QoS 1: how long the broker takes to acknowledge. The
 * rate does not depend on earlier responses, as with real devices.
 */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { acceptedConnect, connectPacket, publishPacket } from '../support/mqtt-packets.ts'
import type { SeededDevice } from '../support/seed.ts'
import { respondCalls } from '../support/worker.ts'

export interface Delays {
  published: number
  /** Milliseconds from when a message was due until its PUBACK. */
  median: number
  p99: number
  slowest: number
}

interface Publisher {
  socket: Socket
  topic: string
  /** When the messages were due that are not acknowledged, in their order. */
  due: number[]
}

const PUBACK_BYTES = 4
const STEP_MS = 5
const WAIT_MS = 10_000

let publishers: Publisher[] = []
let times: number[] = []

async function open(port: number, device: SeededDevice, topic: string): Promise<Publisher> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  await once(socket, 'connect')
  socket.write(connectPacket(device))
  const [response] = (await once(socket, 'data')) as [Buffer]
  if (!acceptedConnect(response)) throw new Error('a device was refused')
  const publisher: Publisher = { socket, topic, due: [] }
  let bytes = 0
  // Nothing else than PUBACKs comes to a client that has no subscription.
  socket.on('data', (chunk: Buffer) => {
    for (bytes += chunk.length; bytes >= PUBACK_BYTES; bytes -= PUBACK_BYTES) {
      times.push(performance.now() - (publisher.due.shift() ?? Number.NaN))
    }
  })
  return publisher
}

const methods = {
  async open(argument: { port: number; devices: SeededDevice[]; topics: string[] }): Promise<void> {
    const { port, devices, topics } = argument
    publishers = []
    for (const [at, device] of devices.entries()) {
      publishers.push(await open(port, device, topics[at] ?? ''))
    }
  },

  async run({ perSecond, seconds }: { perSecond: number; seconds: number }): Promise<Delays> {
    times = []
    const started = performance.now()
    const total = perSecond * seconds
    for (let sent = 0; sent < total; ) {
      const now = performance.now()
      const until = Math.min(total, ((now - started) * perSecond) / 1_000)
      for (; sent < until; sent += 1) {
        const publisher = publishers[sent % publishers.length] as Publisher
        publisher.due.push(started + (sent * 1_000) / perSecond)
        publisher.socket.write(publishPacket(publisher.topic, '21.5', (sent % 65_535) + 1))
      }
      await sleep(STEP_MS)
    }
    const deadline = performance.now() + WAIT_MS
    while (times.length < total && performance.now() < deadline) await sleep(STEP_MS)
    times.sort((one, other) => one - other)
    const at = (share: number): number => times[Math.floor((times.length - 1) * share)] ?? NaN
    return { published: times.length, median: at(0.5), p99: at(0.99), slowest: at(1) }
  },
}
export type AcknowledgementProgram = typeof methods

respondCalls(methods, async () => {
  for (const { socket } of publishers) socket.destroy()
})
