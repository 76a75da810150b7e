/**
 * Open-loop HTTP load: each request is due at a fixed time, independent of earlier responses, and
 * waiting for a free connection counts. A broker behaves like this when a fleet reconnects.
 */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import { readResponse } from '../support/requests.ts'
import { respondCalls } from '../support/worker.ts'

export interface PacedLoad {
  port: number
  /** Connections of the broker's pool. */
  connections: number
  perSecond: number
  /** Whole requests as text, each sent once. */
  requests: readonly string[]
  /** The bytes with which every response must begin, after its headers. */
  expected: string
}

export interface Latencies {
  /** Milliseconds from when a request was due until its response was there. */
  median: number
  p99: number
  slowest: number
}

const at = (sorted: Float64Array, share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] as number

/** Sends one request and waits for the whole response. */
async function ask(socket: Socket, request: string, expected: string): Promise<void> {
  const done = Promise.withResolvers<void>()
  let bytes: Buffer = Buffer.alloc(0)
  const read = (chunk: Buffer): void => {
    bytes = bytes.length === 0 ? chunk : Buffer.concat([bytes, chunk])
    const response = readResponse(bytes)
    if (response === undefined) return
    const body = bytes.toString('latin1', bytes.indexOf('\r\n\r\n') + 4)
    if (body.startsWith(expected)) done.resolve()
    else done.reject(new Error(`a response was not as expected: ${bytes.toString().slice(0, 500)}`))
  }
  socket.on('data', read)
  socket.write(request, 'latin1')
  await done.promise
  socket.off('data', read)
}

const methods = {
  async run({ port, connections, perSecond, requests, expected }: PacedLoad): Promise<Latencies> {
    const free = Array.from({ length: connections }, () =>
      connect({ port, host: '127.0.0.1', noDelay: true }),
    )
    const all = [...free]
    await Promise.all(free.map((socket) => once(socket, 'connect')))
    const times = new Float64Array(requests.length)
    const dueAt = new Float64Array(requests.length)
    const finished = Promise.withResolvers<void>()
    const started = performance.now()
    let due = 0
    let next = 0
    let responded = 0
    const send = async (socket: Socket, index: number): Promise<void> => {
      await ask(socket, requests[index] as string, expected)
      times[index] = performance.now() - (dueAt[index] as number)
      responded += 1
      if (responded === requests.length) finished.resolve()
      free.push(socket)
      sendDue()
    }
    const sendDue = (): void => {
      while (next < due && free.length > 0) {
        send(free.shift() as Socket, next).catch(finished.reject)
        next += 1
      }
    }
    // Every millisecond some are due at once: a loop that never sleeps would cost a core.
    const clock = setInterval(() => {
      const now = performance.now()
      const until = Math.min(requests.length, ((now - started) * perSecond) / 1_000)
      while (due < until) dueAt[due++] = now
      sendDue()
    }, 1)
    try {
      await finished.promise
    } finally {
      clearInterval(clock)
      for (const socket of all) socket.destroy()
    }
    times.sort()
    return { median: at(times, 0.5), p99: at(times, 0.99), slowest: at(times, 1) }
  },
}
export type PacedLoadProgram = typeof methods

respondCalls(methods)
