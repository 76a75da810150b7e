/** Ports of the loopback that nobody listens on, for programs that can't choose one themselves. */
import { freePort } from '../../support/free-port.ts'

const given = new Set<number>()

/** Never gives one twice, as the program may take a while to listen on it. */
export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = []
  while (ports.length < count) {
    const port = await freePort()
    if (given.has(port)) continue
    given.add(port)
    ports.push(port)
  }
  return ports
}
