/** The lifecycle of the service: database, migrations, first start, app, shutdown. */
import { setTimeout as sleep } from 'node:timers/promises'
import { format } from 'node:util'
import { createPasswordHasher } from '../../platform/access/passwords.ts'
import { type App, startApp } from '../../app/app.ts'
import { type Config, ConfigError, requestRoleOf } from '../../platform/config/config.ts'
import { createChangeFeed } from '../../platform/database/change-feed.ts'
import { connectDatabase } from '../../platform/database/connect.ts'
import { Failure } from '../../platform/errors/errors.ts'
import {
  type Installation,
  setUpInstallation,
} from '../../features/workspaces/installation/installation.ts'
import { systemClock } from '../../platform/lib/clock.ts'
import { createLog, errorFields, type Log } from '../../platform/log.ts'
import { DONE, FAILED, print, refusalText, report, say } from '../command.ts'
import {
  applyMigrations,
  openForService,
  type OpenedDatabase,
  type ServedDatabase,
} from '../installation/databases.ts'
import { dropFirstOwner, keepFirstOwner } from './first-owner.ts'
import { greeting } from './greeting.ts'
import { listenFailure } from './listen-failure.ts'
import { masterKeysOf } from '../installation/master-keys.ts'
import { bootstrapNames, readOwner, warningsOf } from './preflight.ts'
import { watchSignals } from './signals.ts'

async function setUp(config: Config, { connection }: OpenedDatabase): Promise<Installation> {
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
    await dropFirstOwner(config, database)
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
}

async function start(config: Config, opened: ServedDatabase, log: Log): Promise<Started> {
  const { connection, isShared, restarts } = opened
  // Applied migrations interest few; that another process is being waited for interests the user.
  await applyMigrations(connection, requestRoleOf(config), (line) =>
    log(line.startsWith('applied') ? 'info' : 'warn', line),
  )
  const installation = await setUp(config, opened)
  const { masterKey, roots } = installation
  try {
    const keys = { masterKey, roots }
    const database = { connection, isShared, restarts }
    return { app: await startApp({ config, ...database, log, ...keys }), installation }
  } catch (error) {
    throw listenFailure(error, config)
  }
}

/** From now on, console output and Node's warnings become log lines. */
function logConsole(log: Log): void {
  for (const method of ['log', 'info', 'warn', 'error', 'trace'] as const) {
    console[method] = (...parts: unknown[]) =>
      log('warn', 'message of a library', { parts: format(...parts).slice(0, 500) })
  }
  process.removeAllListeners('warning')
  process.on('warning', (warning) => log('warn', 'Node warns', errorFields(warning)))
}

/** Longer than the gap between two requests on a busy connection. */
const RETIRE_MS = 300

/** Runs until a signal, or until the database is lost permanently; then ends the process. */
export async function serve(config: Config): Promise<void> {
  const log = createLog(config.logLevel)
  logConsole(log)
  process.on('uncaughtException', (error) => {
    log('error', 'the process ends because of an uncaught error', errorFields(error))
    process.exit(FAILED)
  })
  const stopping = watchSignals()
  const opened = await openForService(config, log)
  let started: Started
  try {
    started = await start(config, opened, log)
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
  app.retire()
  // Requests on their way are answered, and their callers told to use another connection.
  await sleep(RETIRE_MS)
  await app.close()
  await opened.stop()
  if (lost === undefined) print('Stopped.')
  process.exit(lost === undefined ? DONE : FAILED)
}
