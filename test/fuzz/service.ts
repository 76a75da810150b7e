/**
 * The service that is fuzzed, as a process of its own whose memory can be measured. It also makes
 * tenants, which the fuzzer uses up: pairs of workspaces with a credential of every kind.
 */
import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import { respondCalls } from '../../bench/support/worker.ts'
import { type App, startApp } from '../../src/app/app.ts'
import { readConfig } from '../../src/platform/config/config.ts'
import { createAccount } from '../../src/features/identity/accounts/account.ts'
import {
  type AccessKind,
  type CallerKind,
  callerKindOf,
} from '../../src/platform/access/principal.ts'
import { formatId, type IdPrefix } from '../../src/platform/lib/ids.ts'
import { createLog } from '../../src/platform/log.ts'
import type { TestApp } from '../support/app.ts'
import { badCredentials, validCredentials, type Worth } from '../support/credentials.ts'
import { seedWorkspace } from '../support/seed.ts'
import { movingClock, PASSWORD } from '../support/sign-in.ts'
import { seedTenant, type Tenant } from '../support/tenants.ts'

const environment = {
  MOORING_HTTP_PORT: '0',
  MOORING_OPERATOR_PORT: '0',
  MOORING_MQTT_PORT: '0',
  // One caller stands for many here.
  MOORING_RATE_LIMITS: 'off',
  MOORING_LOG_LEVEL: 'error',
  // Nothing leaves the machine: no name server is there.
  MOORING_DNS_SERVERS: '127.0.0.1:9',
}

/** As on a busy machine: a database that is slow is no fault of a request. */
const timeouts = { statementTimeoutMs: 30_000, acquireTimeoutMs: 30_000 }

export interface FuzzCredential {
  name: string
  text: string
  /** Undefined for one that is refused everywhere. */
  kind?: CallerKind
  isOwn: boolean
  /** May do everything in the workspace. */
  isFull: boolean
}

/** The values of requests; plain data, as it comes from another process. */
export interface FuzzTenant {
  workspaceId: string
  credentials: FuzzCredential[]
  /** Ids by their prefix. */
  ids: Record<string, string[]>
  /** Ids of the other workspace, which no credential of this one may see. */
  foreignIds: string[]
  /** Texts that stand for the members of their names. */
  texts: Record<string, string[]>
  /** A text in many resources of the other workspace that is sent by nobody. */
  marker: string
}

const clock = movingClock()
let running: App | undefined
let passwordHash: string | undefined

const secondsOf = ({ user, system }: NodeJS.CpuUsage): number => (user + system) / 1e6

const idsOf = ({ things }: Tenant): [string, string][] =>
  Object.entries(things).map(([prefix, uuid]) => [prefix, formatId(prefix as IdPrefix, uuid)])

/** Writes the marker into what the other workspace shows of itself. */
async function mark({ database }: App, workspaceId: string, marker: string): Promise<void> {
  const columns = [
    ['devices', 'name'],
    ['device_templates', 'name'],
    ['device_groups', 'name'],
    ['device_notes', 'text'],
    ['custom_fields', 'name'],
    ['mqtt_principals', 'name'],
    ['api_keys', 'name'],
  ]
  for (const [table, column] of columns) {
    const sql = `UPDATE ${table} SET ${column} = $2 WHERE workspace_id = $1`
    await database.pool.query(sql, [workspaceId, marker])
  }
}

/** An account whose password is known, as an owner of the workspace. */
async function seedAccount({ services, database }: App, workspaceId: string): Promise<string> {
  const email = `${randomBytes(6).toString('hex')}@example.com`
  const { id } = await createAccount(services, { email, password: PASSWORD, name: 'Fuzz' })
  await database.pool.query(
    `INSERT INTO memberships (workspace_id, user_id, role) VALUES ($1, $2, 'owner')`,
    [workspaceId, id],
  )
  return email
}

/** Whether a credential may do all that its kind may. */
const isFull = (worth: Worth | undefined): boolean =>
  worth?.kind !== 'user' ||
  (worth.role === 'owner' && !worth.isStale && !worth.hasInitialPassword && !worth.onlyPays)

async function newTenant(app: App): Promise<FuzzTenant> {
  const testApp = { app, services: app.services, database: app.database } as TestApp
  const marker = `zz${randomBytes(5).toString('hex')}zz`
  const own = await seedWorkspace(app)
  const other = await seedWorkspace(app, marker)
  const tenant = await seedTenant(testApp, own)
  const foreign = await seedTenant(testApp, other)
  await mark(app, other.uuid, marker)
  const email = await seedAccount(app, own.uuid)
  const good = await validCredentials(testApp, own, other)
  const bad = await badCredentials(testApp, clock, own)
  // Seeded accounts have none; theirs is the known password.
  passwordHash ??= await app.services.passwords.hash(PASSWORD)
  await app.database.pool.query(`UPDATE users SET password_hash = $1 WHERE password_hash = '!'`, [
    passwordHash,
  ])
  const belonging = Object.entries(tenant.callers).map(([kind, [headers = {}]]) => ({
    name: `the seeded ${kind}`,
    text: String(Object.values(headers)[0]).replace('Bearer ', ''),
    kind: callerKindOf(kind as AccessKind),
    isOwn: true,
    // An operator has no right in a workspace.
    isFull: kind !== 'operator',
  }))
  return {
    workspaceId: own.id,
    marker,
    ids: Object.fromEntries(idsOf(tenant).map(([prefix, id]) => [prefix, [id]])),
    foreignIds: idsOf(foreign).map(([, id]) => id),
    texts: {
      confirm: [own.slug],
      email: [email],
      password: [PASSWORD],
      refresh_token: bad.filter(({ name }) => name.startsWith('a refresh')).map(({ text }) => text),
      topic: [`${own.slug}/x/telemetry`, '{slug}/x/#', `${own.slug}/+/state`],
    },
    credentials: [
      ...belonging,
      ...[...good, ...bad].map(({ name, text, worth }) => ({
        name,
        text,
        ...(worth && { kind: worth.kind }),
        isOwn: worth?.workspaceId === own.uuid || worth?.workspaceId === undefined,
        isFull: isFull(worth),
      })),
    ],
  }
}

const methods = {
  async start({ connection, masterKey }: { connection: pg.PoolConfig; masterKey: Uint8Array }) {
    const config = readConfig(environment)
    const log = createLog(config.logLevel)
    const key = Buffer.from(masterKey)
    running = await startApp({
      config,
      connection,
      masterKey: key,
      isShared: true,
      timeouts,
      clock,
      log,
    })
    return { port: running.ports.http }
  },
  tenant: (_none: undefined) => newTenant(running as App),
  /** Resident memory in MiB, now and at most, and the processor time in seconds. */
  use: (_none: undefined) =>
    Promise.resolve({
      now: process.memoryUsage.rss() / 2 ** 20,
      peak: process.resourceUsage().maxRSS / 2 ** 10,
      seconds: secondsOf(process.cpuUsage()),
    }),
}
export type FuzzedService = typeof methods

respondCalls(methods, async () => running?.close())
