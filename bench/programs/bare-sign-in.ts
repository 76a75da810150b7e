/**
 * The limit for signing in over HTTP: the password hash behind Node's own server, and one row that
 * is committed. No attempts are counted, nothing is signed, nothing is audited.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { Pool, type PoolConfig } from 'pg'
import { createPasswordHasher } from '../../src/platform/access/passwords.ts'
import { respondCalls } from '../support/worker.ts'

/** As large as the response of the service. */
const BODY = JSON.stringify({ access_token: 'x'.repeat(800) })

const HEADERS = { 'content-type': 'application/json', 'content-length': BODY.length }

const methods = {
  /** @returns the port. */
  async start({ connection, hash }: { connection: PoolConfig; hash: string }): Promise<number> {
    const pool = new Pool({ ...connection, max: 8 })
    await pool.query(
      `CREATE TABLE bare_sessions (
         id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, at timestamptz DEFAULT now(),
         agent text)`,
    )
    const insert = { name: 'session', text: 'INSERT INTO bare_sessions (agent) VALUES ($1)' }
    const passwords = createPasswordHasher()
    const server = createServer((request, response) => {
      const signIn = async (): Promise<void> => {
        const { password } = (await json(request)) as { password: string }
        const isRight = await passwords.verify(hash, password)
        if (isRight) await pool.query({ ...insert, values: ['bench'] })
        response.writeHead(isRight ? 200 : 401, HEADERS).end(BODY)
      }
      signIn().catch((error: unknown) => response.destroy(error as Error))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return (server.address() as AddressInfo).port
  },
}
export type BareSignInProgram = typeof methods

respondCalls(methods)
