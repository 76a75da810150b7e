/**
 * Generates HTTP load with minimal overhead, since it shares the cores with what is measured:
 * prepared requests on persistent plain sockets, one at a time on each.
 */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import { NEW_NUMBER, NUMBER_DIGITS, readResponse } from '../support/requests.ts'
import { respondCalls } from '../support/worker.ts'

export interface HttpLoad {
  port: number
  clients: number
  seconds: number
  /** Whole requests as text, sent in turn; `NEW_NUMBER` in one is filled in each time. */
  requests: readonly string[]
  /** The status that every response must have. */
  status: number
}

let number = 0

/** Puts a new number, always of the same length, where the text asks for one. */
function numbered(text: string): () => string {
  const parts = text.split(NEW_NUMBER)
  if (parts.length === 1) return () => text
  return () => {
    number += 1
    return parts.join(String(number).padStart(NUMBER_DIGITS, '0'))
  }
}

/** Sends a request after the other until the time is over. @returns how many were answered. */
function drive(socket: Socket, next: () => string, status: number, until: number): Promise<number> {
  const done = Promise.withResolvers<number>()
  let count = 0
  let bytes: Buffer = Buffer.alloc(0)
  socket.on('data', (chunk: Buffer) => {
    bytes = bytes.length === 0 ? chunk : Buffer.concat([bytes, chunk])
    const response = readResponse(bytes)
    if (response === undefined) return
    if (response.status !== status) {
      done.reject(new Error(`a response was not ${status}: ${bytes.toString().slice(0, 1_000)}`))
      return
    }
    bytes = bytes.subarray(response.length)
    count += 1
    if (performance.now() < until) socket.write(next(), 'latin1')
    else done.resolve(count)
  })
  socket.once('error', done.reject)
  socket.once('close', () => done.reject(new Error('the connection was closed')))
  socket.write(next(), 'latin1')
  return done.promise
}

const methods = {
  /** @returns responses per second. */
  async run({ port, clients, seconds, requests, status }: HttpLoad): Promise<number> {
    const sockets = Array.from({ length: clients }, () =>
      connect({ port, host: '127.0.0.1', noDelay: true }),
    )
    await Promise.all(sockets.map((socket) => once(socket, 'connect')))
    const texts = requests.map(numbered)
    let turn = 0
    const next = (): string => {
      turn = (turn + 1) % texts.length
      return (texts[turn] as () => string)()
    }
    const started = performance.now()
    try {
      const until = started + seconds * 1_000
      const counts = await Promise.all(sockets.map((socket) => drive(socket, next, status, until)))
      const total = counts.reduce((sum, count) => sum + count, 0)
      return total / ((performance.now() - started) / 1_000)
    } finally {
      for (const socket of sockets) socket.destroy()
    }
  },
}
export type HttpLoadProgram = typeof methods

respondCalls(methods)
