/**
 * Signing in with a password.
 *
 * The first limit is verifying the same argon2id hash at the same concurrency in a process that
 * does nothing else: its cost is intentional, so signing in should add little. The second one also
 * has HTTP and commits one row. The difference is the separately committed attempt counter, the
 * session, the audit entry and the tokens.
 */
import { createPasswordHasher } from '../src/platform/access/passwords.ts'
import type { BareSignInProgram } from './programs/bare-sign-in.ts'
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
    const bare = fixture.start<BareSignInProgram>('bench/programs/bare-sign-in.ts')
    const barePort = await bare.call('start', { connection: database.connection, hash })
    const signIn = (port: number) => (seconds: number) =>
      load.call('run', { port, clients: CLIENTS, requests, status: 200, seconds })
    const common = { name: `sign in, ${CLIENTS} clients`, unit: 'sessions', settle }
    const ours = signIn(ports.http)
    const hashes = (seconds: number) =>
      hashing.call('run', { hash, password, clients: CLIENTS, seconds })
    return [
      { ...common, against: 'argon2id alone', aim: 0.9, ours, limit: hashes },
      {
        ...common,
        against: 'argon2id behind bare HTTP, and one row committed',
        aim: 0.7,
        ours,
        limit: signIn(barePort),
      },
    ]
  },
}
