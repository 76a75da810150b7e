/** A port of the loopback for a program that can't choose one itself, or that listens later. */
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/** Below those that systems lend to connections, so that none takes it until it is listened on. */
export async function freePort(): Promise<number> {
  for (let tries = 1; ; tries += 1) {
    const port = randomInt(15_000, 32_000)
    const server = createServer()
    try {
      await once(server.listen(port, '127.0.0.1'), 'listening')
    } catch (error) {
      if (tries === 100) throw error
      continue
    }
    server.close()
    await once(server, 'close')
    return port
  }
}
