/** Webhook receivers that only read a request and acknowledge it. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { respondCalls } from '../support/worker.ts'

let count = 0
let waiting: { count: number; resolve: (value: void) => void } | undefined

function take(): void {
  count += 1
  if (waiting !== undefined && count >= waiting.count) waiting.resolve()
}

const methods = {
  /** @returns the ports of so many of them. */
  async start({ receivers }: { receivers: number }): Promise<number[]> {
    const servers = Array.from({ length: receivers }, () =>
      createServer((request, response) => {
        request.resume().once('end', () => {
          take()
          response.writeHead(204).end()
        })
      }),
    )
    for (const server of servers) {
      server.keepAliveTimeout = 60_000
      server.listen(0, '127.0.0.1')
      await once(server, 'listening')
    }
    return servers.map((server) => (server.address() as AddressInfo).port)
  },
  /** Requests so far. */
  count: (_argument: undefined): Promise<number> => Promise.resolve(count),
  /** Waits until there have been so many requests. */
  async reach(argument: { count: number }): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    waiting = { ...argument, resolve }
    if (count >= argument.count) resolve()
    await promise
  },
}
export type WebhookReceiversProgram = typeof methods

respondCalls(methods)
