/**
 * The load balancer in front of a cluster: each connection is passed to the next target that
 * accepts one, and ends with it.
 */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface Balancer {
  port: number
  close(): Promise<void>
}

const CONNECT_MS = 1_000

/** @returns undefined if nothing listens on the port */
async function reach(port: number): Promise<Socket | undefined> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  const timer = setTimeout(() => socket.destroy(new Error('no connection in time')), CONNECT_MS)
  try {
    await once(socket, 'connect')
    return socket
  } catch {
    return undefined
  } finally {
    clearTimeout(timer)
  }
}

/** Passes connections to the ports, in turns. */
export async function startBalancer(ports: readonly number[]): Promise<Balancer> {
  const open = new Set<Socket>()
  let turn = 0

  const serve = async (client: Socket): Promise<void> => {
    turn += 1
    for (let tries = 0; tries < ports.length; tries += 1) {
      const target = await reach(ports[(turn + tries) % ports.length] as number)
      if (target === undefined) continue
      open.add(target)
      target.on('error', () => client.destroy())
      target.on('close', () => {
        open.delete(target)
        client.destroy()
      })
      client.on('close', () => target.destroy())
      if (client.destroyed) return void target.destroy()
      client.pipe(target)
      target.pipe(client)
      return
    }
    client.destroy()
  }

  const server = createServer({ noDelay: true }, (client) => {
    open.add(client)
    client.on('error', () => {})
    client.on('close', () => open.delete(client))
    void serve(client)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      for (const socket of open) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
