/** The lifecycle of the service: database, migrations, first start, app, shutdown. */
import { setTimeout as sleep } from 'node:timers/promises'
import { createPasswordHasher } from '../../platform/access/passwords.ts'
import { type App, startApp } from '../../app/app.ts'
import { reachableHost } from '../../app/installation.ts'
import type { Part } from '../../app/part.ts'
import { type Config, ConfigError, requestRoleOf } from '../../platform/config/config.ts'
import { createChangeFeed } from '../../platform/database/change-feed.ts'
import { connectDatabase } from '../../platform/database/connect.ts'
import { readConnections } from '../../platform/database/server.ts'
import { Failure } from '../../platform/errors/errors.ts'
import {
  type Installation,
  setUpInstallation,
} from '../../features/workspaces/installation/installation.ts'
import type { ExamineBroker } from '../../features/operator/doctor/doctor-run.ts'
import { systemClock } from '../../platform/lib/clock.ts'
import type { Log } from '../../platform/log.ts'
import { DONE, FAILED, print, refusalText, report, say } from '../command.ts'
import { applyMigrations, type ServedDatabase } from '../installation/databases.ts'
import { dropFirstOwner, dropFirstOwnerOnceUsed, keepFirstOwner } from './first-owner.ts'
import { greeting } from './greeting.ts'
import { HttpProcesses } from './http-processes.ts'
import { listenFailure } from './listen-failure.ts'
import { masterKeysOf } from '../installation/master-keys.ts'
import { bootstrapNames, readOwner, warningsOf } from './preflight.ts'
import type { Opening } from './opening.ts'
import { poolSizeWithin } from './process-count.ts'
import { RETIRE_MS } from './process-log.ts'

async function setUp(
  config: Config,
  { connection }: ServedDatabase,
  log: Log,
): Promise<Installation> {
  const database = connectDatabase({
    connection,
    poolSize: 1,
    prepared: false,
    statementTimeoutMs: 30_000,
    acquireTimeoutMs: 10_000,
  })
  const feed = createChangeFeed({ db: database, clock: systemClock })
  try {
    const installation = await setUpInstallation(
      { db: database, feed, passwords: createPasswordHasher() },
      {
        keys: masterKeysOf(config, say),
        owner: readOwner(config),
        hasConsole: config.console === 'on',
        keep: (owner, setupToken) => keepFirstOwner(config, owner, setupToken),
      },
    )
    await dropFirstOwner(config, database, log)
    return installation
  } catch (error) {
    if (error instanceof Failure) throw new ConfigError(refusalText(error, bootstrapNames))
    throw error
  } finally {
    await database.close()
  }
}

interface Started {
  app: App
  installation: Installation
  /** The processes that serve the API, if this one does not. */
  others: HttpProcesses | undefined
}

/** The size of each process's pool, so that the server has connections for all. */
async function poolSizeOf(
  { databasePoolSize: wanted }: Config,
  { connection, isShared }: ServedDatabase,
  count: number,
): Promise<number> {
  if (count === 1 || !isShared) return wanted
  const size = poolSizeWithin(await readConnections(connection), count, wanted)
  if (size < wanted) {
    say(
      `warning: the database has too few connections for ${count} processes: each uses ${size} ` +
        `of them for requests in place of ${wanted}; raise its max_connections, or lower ` +
        'MOORING_PROCESSES.',
    )
  }
  return size
}

const mainPart = (others: HttpProcesses): Part => ({
  kind: 'main',
  httpPort: () => others.port,
  isServing: () => others.isServing,
  metricsOfOthers: () => others.metrics(),
})

/** As `mooring doctor` does, through the port that this service listens on. */
const examineLocally =
  ({ tlsCertFile, origin, httpHost }: Config, port: () => number): ExamineBroker =>
  async (name, onResult) => {
    // The MQTT client and the probes are loaded with the first examination.
    const { examineBroker } = await import('../doctor/examine-broker.ts')
    const isNamed = tlsCertFile !== undefined && origin !== undefined
    const api =
      tlsCertFile === undefined ? `http://${reachableHost(httpHost)}:${port()}` : undefined
    const wish = { name, url: undefined, api: isNamed ? origin : api, ca: undefined }
    return examineBroker(wish, ({ change = null, ...result }) => onResult({ ...result, change }))
  }

/** Starts this process, and then the others, which receive the ports of its broker. */
async function open(config: Config, opened: ServedDatabase, log: Log, count: number) {
  const { connection, isShared, restarts } = opened
  const { masterKey, roots, ...installation } = await setUp(config, opened, log)
  const poolSize = await poolSizeOf(config, opened, count)
  const others = count === 1 ? undefined : new HttpProcesses(count - 1, log)
  const app = await startApp({
    config: { ...config, databasePoolSize: poolSize },
    connection,
    isShared,
    restarts,
    masterKey,
    roots,
    log,
    examine: examineLocally(config, () => others?.port ?? app.ports.http),
    ...(others && { part: mainPart(others) }),
  })
  dropFirstOwnerOnceUsed(config, app, log)
  const { httpHost, httpPort } = config
  const { mqttPorts } = app
  const setup = { masterKey, roots, mqttPorts, httpPort, poolSize, sharers: count - 1 }
  try {
    await others?.start(setup, httpHost, (id) => app.services.reportedStates.settle(id))
  } catch (error) {
    await others?.stop()
    await app.close()
    throw error
  }
  return { app, others, installation: { masterKey, roots, ...installation } }
}

async function start(
  config: Config,
  opened: ServedDatabase,
  log: Log,
  count: number,
): Promise<Started> {
  // Users need not see each migration, but they must see that the start waits for a process.
  const note = (line: string) => log(line.startsWith('applied') ? 'info' : 'warn', line)
  await applyMigrations(opened.connection, note, { role: requestRoleOf(config) })
  try {
    return await open(config, opened, log, count)
  } catch (error) {
    throw listenFailure(error, config)
  }
}

/** Answers running requests, and asks their callers to use another connection. */
async function stop({ app, others }: Started): Promise<void> {
  app.retire()
  await (others?.stop() ?? sleep(RETIRE_MS))
  await app.close()
}

/** Runs until a signal, or until the database is lost permanently; then ends the process. */
export async function serve(config: Config, opening: Opening): Promise<void> {
  const { log, stopping, count, opened } = opening
  let started: Started
  try {
    started = await start(config, opened, log, count)
  } catch (error) {
    await opened.stop()
    throw error
  }
  const { app, installation } = started
  for (const warning of warningsOf(config)) say(warning)
  const { services, ports } = app
  const consoleUrl = services.webConsole.url()
  const found = { origin: services.origin(), consoleUrl, ports, mqtt: services.mqttEndpoint() }
  stopping.ready()
  print(greeting(config, found, installation))
  const lost = await Promise.race([stopping.asked, opened.lost])
  if (lost !== undefined) {
    report(lost)
    stopping.limit()
  }
  if (lost === undefined) print('Stopping: running requests can finish.')
  opened.release()
  await stop(started)
  await opened.stop()
  if (lost === undefined) print('Stopped.')
  process.exit(lost === undefined ? DONE : FAILED)
}
