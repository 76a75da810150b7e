/** People for tests of signing in: accounts, sessions, authenticators, and a clock to move. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { generateSync } from 'otplib'
import { createAccount } from '../../src/features/identity/accounts/account.ts'
import { openChallenge } from '../../src/features/identity/mfa/challenge.ts'
import type { Clock } from '../../src/platform/lib/clock.ts'
import { formatId } from '../../src/platform/lib/ids.ts'
import { as, type CallResult, type TestApp } from './app.ts'

export const PASSWORD = 'seventeen brown kettles'

export interface Person {
  uuid: string
  id: string
  email: string
}

export interface Tokens {
  access_token: string
  refresh_token: string
  token_type: string
  expires_in: number
  known_device_token: string
}

export async function person(app: TestApp): Promise<Person> {
  const email = `${randomBytes(6).toString('hex')}@example.com`
  const account = await createAccount(app.services, { email, password: PASSWORD, name: 'Test' })
  return { uuid: account.id, id: formatId('usr', account.id), email }
}

export const logIn = (
  app: TestApp,
  email: string,
  password: string = PASSWORD,
  headers: Record<string, string> = {},
): Promise<CallResult> => app.call('POST', '/auth/login', { body: { email, password }, headers })

export async function signIn(app: TestApp, { email }: Person): Promise<Tokens> {
  const { status, body } = await logIn(app, email)
  assert.equal(status, 200, JSON.stringify(body))
  return body as Tokens
}

export const me = (app: TestApp, token: string): Promise<CallResult> =>
  app.call('GET', '/auth/me', { as: as.user(token) })

export const refresh = (app: TestApp, token: string): Promise<CallResult> =>
  app.call('POST', '/auth/refresh', { body: { refresh_token: token } })

export const verify = (app: TestApp, mfaToken: string, code: string): Promise<CallResult> =>
  app.call('POST', '/auth/mfa/verify', { body: { mfa_token: mfaToken, code } })

export const STEP_MS = 30_000

/** A clock that a test can move; TOTP steps and token lifetimes follow it. */
export interface MovingClock extends Clock {
  move(ms: number): void
  /** Moves on to the middle of a step: for a while then, no step ends between two calls. */
  center(): void
}

export function movingClock(): MovingClock {
  let offset = 0
  const now = (): number => Date.now() + offset
  const center = (): void => {
    offset += (STEP_MS * 1.5 - (now() % STEP_MS)) % STEP_MS
  }
  // So that the steps of a test are where it expects them.
  center()
  return {
    now,
    center,
    move(ms) {
      offset += ms
    },
  }
}

/** The code that an authenticator shows, some steps from now. */
export const codeOf = (secret: string, clock: Clock, steps = 0): string =>
  generateSync({ secret, epoch: Math.floor(clock.now() / 1000) + steps * 30 })

/** Six digits that are the code of no step near now. */
export function wrongCode(secret: string, clock: Clock, seed = 0): string {
  const near = [-2, -1, 0, 1, 2].map((steps) => codeOf(secret, clock, steps))
  let guess = seed
  const text = (): string => String(guess % 1_000_000).padStart(6, '0')
  while (near.includes(text())) guess += 500_000
  return text()
}

export interface Enrolled extends Person {
  secret: string
  recoveryCodes: string[]
}

/** An account with an authenticator; the clock has moved on, so that the next code is fresh. */
export async function enrolled(app: TestApp, clock: MovingClock): Promise<Enrolled> {
  const someone = await person(app)
  const { access_token: token } = await signIn(app, someone)
  const begun = await app.call('POST', '/auth/mfa/totp', { as: as.user(token) })
  assert.equal(begun.status, 200, begun.text)
  const { secret } = begun.body as { secret: string }
  clock.center()
  const confirmed = await app.call('POST', '/auth/mfa/totp/confirm', {
    as: as.user(token),
    body: { code: codeOf(secret, clock) },
  })
  assert.equal(confirmed.status, 200, confirmed.text)
  clock.move(STEP_MS)
  const { recovery_codes: recoveryCodes } = confirmed.body as { recovery_codes: string[] }
  return { ...someone, secret, recoveryCodes }
}

/** The token between password and second factor. */
export async function challenge(app: TestApp, { email }: Person): Promise<string> {
  const { status, body, text } = await logIn(app, email)
  assert.equal(status, 200, text)
  assert.equal(body.mfa_required, true)
  return body.mfa_token as string
}

/** Many of them, as that many sign-ins would open them, without the work of that many passwords. */
export async function challenges(
  app: TestApp,
  { uuid }: Person,
  length: number,
): Promise<string[]> {
  const { keyring, db } = app.services
  const version = 'SELECT sign_in_version AS version FROM users WHERE id = $1'
  const { rows } = await app.database.pool.query<{ version: number }>(version, [uuid])
  return db.transaction(async (trx) => {
    const tokens: string[] = []
    while (tokens.length < length) {
      const token = await openChallenge(keyring, trx, {
        userId: uuid,
        version: rows[0]?.version ?? 0,
        limitedTo: null,
      })
      assert.ok(token)
      tokens.push(token)
    }
    return tokens
  })
}

/** Lets the waiting time of every account be over. */
export async function endWaiting(app: TestApp): Promise<void> {
  await app.database.pool.query(
    `UPDATE failed_tries SET locked_until = now() - interval '1 second'
     WHERE locked_until IS NOT NULL`,
  )
}

export async function count(app: TestApp, sql: string, values: unknown[] = []): Promise<number> {
  const { rows } = await app.database.pool.query<{ n: number }>(
    `SELECT count(*) AS n FROM ${sql}`,
    values,
  )
  return Number(rows[0]?.n)
}

/** When a source that continues guessing after its free failures may guess again, in seconds. */
const NEXT_GUESSES = [30, 90, 210, 450]

/**
 * How many guesses of a source may have been looked at: the free ones, and one more for each delay
 * that has passed on a slow machine.
 * @param since when the first one was sent, on the clock of `performance`
 */
export const maxGuesses = (free: number, since: number): number =>
  free + NEXT_GUESSES.filter((delay) => delay <= (performance.now() - since) / 1_000).length

/** As many of many guesses at once are checked as may be; all others must wait. */
export function assertGuesses(results: readonly CallResult[], free: number, since: number): void {
  const { 401: checked = 0, 429: waiting = 0 } = tally(results)
  assert.ok(checked >= free && checked <= maxGuesses(free, since), `${checked} were looked at`)
  assert.equal(checked + waiting, results.length)
}

/** How many requests were answered with each status. */
export function tally(results: readonly CallResult[]): Record<number, number> {
  const counts: Record<number, number> = {}
  for (const { status } of results) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

const MOMENTARY = ['x-request-id', 'date', 'retry-after', 'ratelimit', 'x-ratelimit-reset']

const withoutWait = (value: unknown): unknown =>
  typeof value === 'string' ? value.replace(/ in \d+ s\.$/, ' in … s.') : value

/**
 * The members that two responses must share: all but those that name the request, or its moment.
 */
export function comparable({ status, headers, body }: CallResult): unknown {
  const rest = Object.entries(headers).filter(([name]) => !MOMENTARY.includes(name))
  const { trace_id: _trace, limit, ...members } = body as Record<string, unknown>
  const problem = Object.fromEntries(
    Object.entries(members).map(([name, value]) => [name, withoutWait(value)]),
  )
  const { reset_seconds: _seconds, ...named } = (limit ?? {}) as Record<string, unknown>
  return { status, headers: Object.fromEntries(rest), problem: { ...problem, limit: named } }
}
