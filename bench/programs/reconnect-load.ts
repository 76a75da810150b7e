/**
 * A fleet of devices that keep their connections: MQTT 3.1.1 on plain sockets. When the broker goes
 * away they reconnect, each after a random delay, until they are admitted.
 */
import { connect, type Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { acceptedConnect, connectPacket, PINGREQ, publishPacket } from '../support/mqtt-packets.ts'
import type { SeededDevice } from '../support/seed.ts'
import { respondCalls } from '../support/worker.ts'

export interface Gathering {
  /** Seconds until the last one was in. */
  seconds: number
  /** CONNACKs that refused, by their return code. */
  refused: Record<number, number>
  /** Tries that ended without a response, as while nobody listens. */
  unanswered: number
}

let packets: Buffer[] = []
let sockets: (Socket | undefined)[] = []
let received: Gathering = { seconds: 0, refused: {}, unanswered: 0 }

/** @returns whether it was let in. */
function tryOnce(port: number, at: number): Promise<boolean> {
  const done = Promise.withResolvers<boolean>()
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  socket.once('connect', () => socket.write(packets[at] as Buffer))
  socket.on('error', () => {})
  socket.once('close', () => {
    if (sockets[at] === socket) sockets[at] = undefined
    else received.unanswered += 1
    done.resolve(false)
  })
  socket.once('data', (response: Buffer) => {
    if (acceptedConnect(response)) {
      sockets[at] = socket
      done.resolve(true)
      return
    }
    const code = response[3] ?? -1
    received.refused[code] = (received.refused[code] ?? 0) + 1
    received.unanswered -= 1
    socket.destroy()
  })
  return done.promise
}

const methods = {
  /** @param argument.keeps whether their sessions outlast their connections */
  async load(argument: { devices: SeededDevice[]; keeps?: boolean }): Promise<void> {
    const { devices, keeps = false } = argument
    packets = devices.map((device) => connectPacket(device, { keeps }))
    sockets = packets.map(() => undefined)
  },

  /**
   * Lets all that are away come, each after a pause of up to so many milliseconds, and after
   * another such pause as often as it isn't let in.
   */
  async gather(argument: { port: number; jitterMs: number }): Promise<Gathering> {
    const { port, jitterMs } = argument
    received = { seconds: 0, refused: {}, unanswered: 0 }
    const started = performance.now()
    const comeBack = async (at: number): Promise<void> => {
      do await sleep(Math.random() * jitterMs)
      while (!(await tryOnce(port, at)))
    }
    const away = [...sockets.keys()].filter((at) => sockets[at] === undefined)
    await Promise.all(away.map(comeBack))
    return { ...received, seconds: (performance.now() - started) / 1_000 }
  },

  /** Lets each send a PINGREQ, spread over so many milliseconds. @returns how many are held. */
  async ping({ withinMs }: { withinMs: number }): Promise<number> {
    const held = sockets.filter((socket) => socket !== undefined)
    const turns = 50
    for (let turn = 0; turn < turns; turn += 1) {
      for (let at = turn; at < held.length; at += turns) held[at]?.write(PINGREQ)
      await sleep(withinMs / turns)
    }
    return sockets.filter((socket) => socket !== undefined).length
  },

  /** Lets each publish a state every second, with the time of its sending in milliseconds. */
  async publish({ topics, seconds }: { topics: string[]; seconds: number }): Promise<void> {
    const turns = 100
    for (let turn = 0, due = Date.now(); turn < turns * seconds; turn += 1) {
      for (let at = turn % turns; at < sockets.length; at += turns) {
        const payload = JSON.stringify({ at: Date.now(), temperature: 21.5, door: 'closed' })
        sockets[at]?.write(publishPacket(topics[at] ?? '', payload))
      }
      due += 1_000 / turns
      await sleep(Math.max(0, due - Date.now()))
    }
  },

  /** Resolves when nobody is connected any more. */
  async lost(_argument: undefined): Promise<void> {
    while (sockets.some((socket) => socket !== undefined)) await sleep(5)
  },
}
export type ReconnectProgram = typeof methods

respondCalls(methods, async () => {
  for (const socket of sockets) socket?.destroy()
})
