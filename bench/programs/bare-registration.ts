/**
 * The limit for registering over HTTP: Fastify with a route that commits the lean transaction, and
 * one for streams that commits many devices by each statement. No key, no checks, no secrets: their
 * hashes are random.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import Fastify from 'fastify'
import { Pool, type PoolConfig } from 'pg'
import { leanMany, leanOne, type LeanRow } from '../support/lean-schema.ts'
import { respondCalls } from '../support/worker.ts'

/** A body as large as that of the service. */
const RESPONSE = { device_id: 'x'.repeat(335) }
const NDJSON = 'application/x-ndjson'
/** Rows of one statement, as many as the service has. */
const BATCH = 500

interface Sent {
  hardware_id: string
}

interface Start {
  /** The connection to a database that has the lean schema. */
  connection: PoolConfig
  clients: number
  workspaceId: string
  templateId: string
}

const methods = {
  /** @returns the port. */
  async start({ connection, clients, workspaceId, templateId }: Start): Promise<number> {
    const pool = new Pool({ ...connection, max: clients })
    const rowOf = ({ hardware_id: hardwareId }: Sent): LeanRow => {
      const id = randomUUID()
      const [mqttHash, httpHash] = [randomBytes(32), randomBytes(32)]
      const keys = { workspaceId, templateId, keyId: 'bench' }
      return { ...keys, id, deviceKey: id, hardwareId, mqttHash, httpHash }
    }
    const write = async (rows: readonly LeanRow[], before: number): Promise<string> => {
      await pool.query(leanMany(rows))
      const result = { status: 201, ...RESPONSE }
      return rows
        .map((_, at) => `${JSON.stringify({ line: before + at + 1, ...result })}\n`)
        .join('')
    }
    async function* results(body: Readable): AsyncGenerator<string> {
      let count = 0
      let rows: LeanRow[] = []
      for await (const line of createInterface({ input: body })) {
        rows.push(rowOf(JSON.parse(line) as Sent))
        if (rows.length < BATCH) continue
        yield write(rows, count)
        count += rows.length
        rows = []
      }
      if (rows.length > 0) yield write(rows, count)
    }

    const app = Fastify()
    app.addContentTypeParser(NDJSON, (_request, payload, done) => done(null, payload))
    app.post<{ Body: Sent }>('/api/v1/provision/device', async ({ body }, reply) => {
      await pool.query(leanOne(rowOf(body)))
      return reply.code(201).send(RESPONSE)
    })
    app.post<{ Body: Readable }>('/api/v1/provision/devices', ({ body }, reply) =>
      reply.type(NDJSON).send(Readable.from(results(body))),
    )
    return Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port)
  },
}
export type BareRegistrationProgram = typeof methods

respondCalls(methods)
