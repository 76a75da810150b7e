/**
 * A real service for tests, with its own database, on free ports. Callers are values that define
 * how a request authenticates.
 */
import { randomBytes } from 'node:crypto'
import type { TestContext } from 'node:test'
import type pg from 'pg'
import type { RootKeys } from '../../src/platform/access/keyring.ts'
import type { PasswordCost } from '../../src/platform/access/passwords.ts'
import { type App, startApp as start } from '../../src/app/app.ts'
import type { DatabaseTimeouts } from '../../src/app/database.ts'
import { type Config, type Environment, readConfig } from '../../src/platform/config/config.ts'
import { BASE_PATH, CONSOLE_BASE } from '../../src/platform/http/operation.ts'
import type { Clock } from '../../src/platform/lib/clock.ts'
import { createLog } from '../../src/platform/log.ts'
import { defer } from './cleanup.ts'
import { cloneDatabase } from './database.ts'
import { assertLimitNamed } from './named-limit.ts'
import { reach } from './provoked-failures.ts'
import { seed, type Seed } from './seed.ts'

export type Headers = Record<string, string>

/** The headers that a browser sends with a request of the service's own pages. */
export const sameOrigin = { 'sec-fetch-site': 'same-origin' }

/** The prefix of the API is left out. */
export const fullPath = (path: string): string =>
  path.startsWith(`${BASE_PATH}/`) || path.startsWith(`${CONSOLE_BASE}/`) ? path : BASE_PATH + path

/** How each kind of caller sends its credential. */
export const as = {
  bearer: (token: string): Headers => ({ authorization: `Bearer ${token}` }),
  user: (token: string): Headers => ({ authorization: `Bearer ${token}` }),
  platformKey: (key: string): Headers => ({ 'x-api-key': key }),
  factory: (key: string): Headers => ({ 'service-auth-code': key }),
  device: (token: string): Headers => ({ authorization: `Bearer ${token}` }),
  phone: (token: string): Headers => ({ authorization: `Bearer ${token}` }),
}

export interface CallOptions {
  as?: Headers
  headers?: Headers
  /** Sent as JSON, unless it is a string or bytes, which are sent as they are. */
  body?: unknown
}

export interface CallResult {
  status: number
  headers: Headers
  /** The parsed JSON body, or undefined for an empty one. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read responses freely
  body: any
  text: string
  /** The values of `Set-Cookie`. */
  cookies: string[]
}

export interface TestApp {
  app: App
  /** Origin and `/api/v1`. */
  url: string
  origin: string
  services: App['services']
  database: App['database']
  connection: pg.PoolConfig
  masterKey: Buffer
  config: Config
  seed: Seed
  call: (method: string, path: string, options?: CallOptions) => Promise<CallResult>
  /** A second process's worth of service on the same database and master key. */
  sibling: (environment?: Environment) => Promise<TestApp>
  close: () => Promise<void>
}

export interface StartOptions {
  environment?: Environment
  clock?: Clock
  connection?: pg.PoolConfig
  masterKey?: Buffer
  /** By default the master key itself. */
  roots?: RootKeys
  /** An existing seed, for a sibling. */
  seed?: Seed
  /** By default longer than usual: on a busy machine, many callers at once would meet 503. */
  timeouts?: DatabaseTimeouts
  /** By default as little as argon2 allows: the cost of a guess is not what tests are about. */
  passwordCost?: PasswordCost
}

const LEAST: PasswordCost = { memoryCost: 8, timeCost: 1, parallelism: 1 }

const longTimeouts: DatabaseTimeouts = { statementTimeoutMs: 30_000, acquireTimeoutMs: 30_000 }

const base: Environment = {
  MOORING_HTTP_PORT: '0',
  MOORING_OPERATOR_PORT: '0',
  MOORING_MQTT_PORT: '0',
  MOORING_RATE_LIMITS: 'off',
  MOORING_LOG_LEVEL: 'error',
  MOORING_DATABASE_POOL_SIZE: '8',
}

const isRaw = (body: unknown): body is string | Uint8Array =>
  typeof body === 'string' || body instanceof Uint8Array

export async function callUrl(
  url: string,
  method: string,
  { as: credential, headers, body }: CallOptions = {},
): Promise<CallResult> {
  const response = await fetch(url, {
    method,
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(new URL(url).pathname.startsWith(CONSOLE_BASE) && sameOrigin),
      ...credential,
      ...headers,
    },
    ...(body !== undefined && {
      body: (isRaw(body) ? body : JSON.stringify(body)) as string | Uint8Array<ArrayBuffer>,
    }),
    redirect: 'manual',
  })
  const text = await response.text()
  const type = response.headers.get('content-type') ?? ''
  const parsed = /[/+]json/.test(type) && text !== '' ? JSON.parse(text) : undefined
  if (type.startsWith('application/problem+json') && parsed !== undefined) {
    reach(method, new URL(url).pathname, (parsed as { code: string }).code)
  }
  const result: CallResult = {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: parsed,
    text,
    cookies: response.headers.getSetCookie(),
  }
  if (result.status === 429) assertLimitNamed(result)
  return result
}

/** Starts a service for one test; it is closed and its database dropped afterwards. */
export async function startApp(
  t: Pick<TestContext, 'after'>,
  options: StartOptions = {},
): Promise<TestApp> {
  const connection = options.connection ?? (await cloneDatabase(t))
  const masterKey = options.masterKey ?? randomBytes(32)
  const config = readConfig({ ...base, ...options.environment })
  const app = await start({
    config,
    connection,
    masterKey,
    ...(options.roots && { roots: options.roots }),
    isShared: true,
    timeouts: options.timeouts ?? longTimeouts,
    passwordCost: options.passwordCost ?? LEAST,
    log: createLog(config.logLevel),
    ...(options.clock && { clock: options.clock }),
  })
  let closing: Promise<void> | undefined
  const close = (): Promise<void> => (closing ??= app.close())
  defer(t, close)
  const origin = app.services.origin()
  const seeded = options.seed ?? (await seed(app))
  return {
    app,
    origin,
    url: `${origin}/api/v1`,
    services: app.services,
    database: app.database,
    connection,
    masterKey,
    config,
    seed: seeded,
    call: (method, path, callOptions) => callUrl(origin + fullPath(path), method, callOptions),
    sibling: async (environment = {}) =>
      startApp(t, {
        connection,
        masterKey,
        environment: { ...options.environment, ...environment },
        seed: seeded,
        ...(options.timeouts && { timeouts: options.timeouts }),
      }),
    close,
  }
}
