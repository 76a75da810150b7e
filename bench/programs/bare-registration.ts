/**
 * The limit for registering over HTTP: Fastify with one route that commits the lean transaction. No
 * key, no checks, no secrets: their hashes are random.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import Fastify from 'fastify'
import { Pool, type PoolConfig } from 'pg'
import { leanOne } from '../support/lean-schema.ts'
import { respondCalls } from '../support/worker.ts'

const PATH = '/api/v1/provision/device'
/** As large as the response of the service. */
const RESPONSE = { device_id: 'x'.repeat(520) }

interface Start {
  /** Of a database that has the lean schema. */
  connection: PoolConfig
  clients: number
  workspaceId: string
  templateId: string
}

const methods = {
  /** @returns the port. */
  async start({ connection, clients, workspaceId, templateId }: Start): Promise<number> {
    const pool = new Pool({ ...connection, max: clients })
    const app = Fastify()
    app.post<{ Body: { hardware_id: string } }>(PATH, async ({ body }, reply) => {
      const id = randomUUID()
      const [mqttHash, httpHash] = [randomBytes(32), randomBytes(32)]
      const hardwareId = body.hardware_id
      const keys = { workspaceId, templateId, keyId: 'bench' }
      await pool.query(leanOne({ ...keys, id, deviceKey: id, hardwareId, mqttHash, httpHash }))
      return reply.code(201).send(RESPONSE)
    })
    return Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port)
  },
}
export type BareRegistrationProgram = typeof methods

respondCalls(methods)
