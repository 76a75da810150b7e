/** A TCP proxy in front of Postgres that can stop forwarding, like an interrupted network. */
import { once } from 'node:events'
import { createServer, connect, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import type pg from 'pg'
import { defer } from './cleanup.ts'

export interface Proxy {
  /** The connection that goes through the proxy. */
  connection: pg.PoolConfig
  /** From now on no byte passes; connections stay open. */
  freeze(): void
  thaw(): void
  /** Resets every connection. */
  reset(): void
}

function openUpstream(connection: pg.PoolConfig): Socket {
  if (connection.connectionString !== undefined) {
    const url = new URL(connection.connectionString)
    return connect(Number(url.port || 5432), url.hostname)
  }
  return connect(`${connection.host}/.s.PGSQL.${connection.port}`)
}

function through(connection: pg.PoolConfig, port: number): pg.PoolConfig {
  if (connection.connectionString === undefined) return { ...connection, host: '127.0.0.1', port }
  const url = new URL(connection.connectionString)
  url.hostname = '127.0.0.1'
  url.port = String(port)
  return { connectionString: url.href }
}

export async function startProxy(
  t: Pick<TestContext, 'after'>,
  connection: pg.PoolConfig,
): Promise<Proxy> {
  const sockets = new Set<Socket>()
  let frozen = false
  const server = createServer((client) => {
    const upstream = openUpstream(connection)
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from)
      from.on('data', (bytes) => to.write(bytes))
      from.on('error', () => to.destroy())
      from.on('close', () => {
        sockets.delete(from)
        to.destroy()
      })
      if (frozen) from.pause()
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const reset = (): void => {
    for (const socket of sockets) socket.destroy()
  }
  defer(t, () => {
    reset()
    server.close()
  })
  return {
    connection: through(connection, port),
    freeze() {
      frozen = true
      for (const socket of sockets) socket.pause()
    },
    thaw() {
      frozen = false
      for (const socket of sockets) socket.resume()
    },
    reset,
  }
}
