/** Ports of the loopback that nobody listens on, for programs that can't choose one themselves. */
import { createServer, type Server } from 'node:net'

const given = new Set<number>()

/** Never gives one twice, as the program may take a while to listen on it. */
export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = []
  while (ports.length < count) {
    const server = await listen()
    const { port } = server.address() as { port: number }
    await new Promise((resolve) => server.close(resolve))
    if (given.has(port)) continue
    given.add(port)
    ports.push(port)
  }
  return ports
}

function listen(): Promise<Server> {
  const server = createServer()
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => resolve(server))
  })
}
