/**
 * Signing in with a password.
 *
 * The limit is verifying the same argon2id hash at the same concurrency in a process that does
 * nothing else: its cost is intentional, so signing in should add little. The difference is the
 * separately committed attempt counter, the session and the tokens.
 */
import { createPasswordHasher } from '../src/platform/access/passwords.ts'
import type { HashingProgram } from './programs/hashing.ts'
import type { HttpLoadProgram } from './programs/http-load.ts'
import type { Bench } from './support/comparison.ts'
import { postRequest } from './support/requests.ts'

const CLIENTS = 8
/** Enough that no two clients sign in to one account at once. */
const ACCOUNTS = 64
const password = 'correct horse battery staple'

export const login: Bench = {
  name: 'login',
  topic: 'Sign-in',
  async prepare(fixture) {
    const database = await fixture.newDatabase()
    const hash = await createPasswordHasher().hash(password)
    const emails = await database.seeder.accounts(database.workspace, hash, ACCOUNTS)
    const { ports, settle } = await fixture.startService(database)
    const load = fixture.start<HttpLoadProgram>('bench/programs/http-load.ts')
    const hashing = fixture.start<HashingProgram>('bench/programs/hashing.ts')
    const requests = emails.map((email) => postRequest('/api/v1/auth/login', { email, password }))
    const common = { port: ports.http, clients: CLIENTS, requests, status: 200 }
    return [
      {
        name: `sign in, ${CLIENTS} clients`,
        unit: 'sessions',
        against: 'argon2id alone',
        aim: 0.9,
        settle,
        ours: (seconds) => load.call('run', { ...common, seconds }),
        limit: (seconds) => hashing.call('run', { hash, password, clients: CLIENTS, seconds }),
      },
    ]
  },
}
