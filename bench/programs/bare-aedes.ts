/** A limit for CONNECTs and messages: aedes alone, which admits everyone to everything. */
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { Aedes } from 'aedes'
import { respondCalls } from '../support/worker.ts'

const aedes = new Aedes()
const server = createServer({ noDelay: true }, (socket) => void aedes.handle(socket))

const methods = {
  /** @returns the port. */
  async start(_argument: undefined): Promise<number> {
    await aedes.listen()
    server.listen({ port: 0, host: '127.0.0.1', backlog: 4_096 })
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  },
}
export type BareAedesProgram = typeof methods

respondCalls(methods)
