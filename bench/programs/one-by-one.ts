/**
 * Sends requests or CONNECTs one at a time and reports the duration of each: latency rather than
 * throughput.
 */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import { acceptedConnect, connectPacket, DISCONNECT } from '../support/mqtt-packets.ts'
import { NEW_NUMBER, NUMBER_DIGITS, readResponse } from '../support/requests.ts'
import type { SeededDevice } from '../support/seed.ts'
import { respondCalls } from '../support/worker.ts'

const sockets = new Map<number, Socket>()
let number = 0

async function socketTo(port: number): Promise<Socket> {
  const known = sockets.get(port)
  if (known !== undefined && !known.destroyed) return known
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  await once(socket, 'connect')
  sockets.set(port, socket)
  return socket
}

/** @returns the whole response. */
function exchange(socket: Socket, text: string, status: number): Promise<string> {
  const done = Promise.withResolvers<string>()
  let bytes: Buffer = Buffer.alloc(0)
  const take = (chunk: Buffer): void => {
    bytes = bytes.length === 0 ? chunk : Buffer.concat([bytes, chunk])
    const response = readResponse(bytes)
    if (response === undefined) return
    socket.off('data', take)
    const whole = bytes.toString()
    if (response.status === status) done.resolve(whole)
    else done.reject(new Error(`not ${status}: ${text.slice(0, 300)} ${whole.slice(0, 800)}`))
  }
  socket.on('data', take)
  socket.once('error', done.reject)
  socket.write(text, 'latin1')
  return done.promise.finally(() => socket.off('error', done.reject))
}

const methods = {
  /** @returns milliseconds of each. */
  async time(argument: {
    port: number
    requests: readonly string[]
    status: number
    count: number
    /** The index of the first request. */
    from: number
  }): Promise<number[]> {
    const { port, requests, status, count, from } = argument
    const socket = await socketTo(port)
    const times: number[] = []
    for (let at = 0; at < count; at += 1) {
      number += 1
      const text = (requests[(from + at) % requests.length] as string).replace(
        NEW_NUMBER,
        String(number).padStart(NUMBER_DIGITS, '0'),
      )
      const started = performance.now()
      await exchange(socket, text, status)
      times.push(performance.now() - started)
    }
    return times
  },

  /** Follows `next_cursor` so many times. @returns the cursor then, and the pages seen. */
  async walk(argument: {
    port: number
    path: string
    headers: Record<string, string>
    pages: number
  }): Promise<{ cursor: string; pages: number }> {
    const { port, path, headers, pages } = argument
    let cursor = ''
    let page = 1
    for (; page < pages; page += 1) {
      const query = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`
      const response = await fetch(`http://127.0.0.1:${port}${path}${query}`, { headers })
      const { next_cursor: next } = (await response.json()) as { next_cursor: string | null }
      if (next === null) break
      cursor = next
    }
    return { cursor, pages: page }
  },

  /** Each device connects, is admitted, and leaves. @returns milliseconds to each CONNACK. */
  async connect(argument: { port: number; devices: readonly SeededDevice[] }): Promise<number[]> {
    const times: number[] = []
    for (const device of argument.devices) {
      const socket = connect({ port: argument.port, host: '127.0.0.1', noDelay: true })
      await once(socket, 'connect')
      const started = performance.now()
      socket.write(connectPacket(device))
      const [response] = (await once(socket, 'data')) as [Buffer]
      times.push(performance.now() - started)
      if (!acceptedConnect(response)) throw new Error(`CONNECT: ${response.toString('hex')}`)
      socket.end(DISCONNECT)
    }
    return times
  },
}
export type OneByOneProgram = typeof methods

respondCalls(methods, async () => {
  for (const socket of sockets.values()) socket.destroy()
})
