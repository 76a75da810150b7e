/** The limit for hooks: plain Fastify that reads a JSON body and sends a prepared text. */
import Fastify from 'fastify'
import { respondCalls } from '../support/worker.ts'

const methods = {
  /** @returns the port. */
  async start({ response }: { response: string }): Promise<number> {
    const app = Fastify()
    app.post('/hook', (_request, reply) => reply.type('application/json').send(response))
    return Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port)
  },
}
export type BareHookProgram = typeof methods

respondCalls(methods)
