/**
 * The limit for reads and lists: plain Fastify with routes that send the result of one query, over
 * a pipelined connection like the service's. Without authentication or error handling.
 */
import Fastify from 'fastify'
import { Client, type PoolConfig } from 'pg'
import { findDevice } from '../../src/features/devices/registry/store.ts'
import { recorded } from '../support/recorded.ts'
import { respondCalls } from '../support/worker.ts'

const methods = {
  /** @returns the port. */
  async start(argument: { connection: PoolConfig; workspaceId: string }): Promise<number> {
    const { connection, workspaceId } = argument
    const client = new Client({ ...connection, pipeline: true })
    await client.connect()
    const { name, text } = await recorded((db) => findDevice.first(db, { workspaceId, id: '' }))
    const app = Fastify()
    app.get<{ Params: { id: string } }>('/devices/:id', async ({ params }) => {
      const { rows } = await client.query({ name, text, values: [workspaceId, params.id] })
      return rows[0] as unknown
    })
    // One pass over the same columns, without a filter.
    const page = `${text.slice(0, text.indexOf('WHERE'))}
      WHERE d.workspace_id = $1 ORDER BY d.id DESC LIMIT $2`
    app.get<{ Querystring: { limit: string } }>('/devices', async ({ query }) => {
      const values = [workspaceId, Number(query.limit)]
      const { rows } = await client.query({ name: 'page', text: page, values })
      return { items: rows as unknown[], next_cursor: null }
    })
    return Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port)
  },
}
export type BareHttpProgram = typeof methods

respondCalls(methods)
