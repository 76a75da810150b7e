/**
 * A process that serves the API on the port of the main process. It ignores the signals that a
 * terminal sends to all processes: it stops when the main process says so, or has ended.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type App, startApp } from '../../app/app.ts'
import type { Config } from '../../platform/config/config.ts'
import { PendingRequests } from '../../platform/lib/pending-requests.ts'
import { createLog } from '../../platform/log.ts'
import { DONE, FAILED } from '../command.ts'
import { openForCommand } from '../installation/databases.ts'
import { logEverything, RETIRE_MS } from './process-log.ts'
import type { Order, Report, Setup, StartFailure } from './process-messages.ts'

/** How long a read waits for the main process to write the state that it asks for. */
const SETTLE_MS = 500
const settling = new PendingRequests<true>(SETTLE_MS)

function report(message: Report): void {
  if (process.connected) process.send?.(message)
}

/** The configuration of this process, with its share of the connections of the API. */
const shareOf = (config: Config, { sharers, httpPort, poolSize }: Setup): Config => ({
  ...config,
  httpPort,
  databasePoolSize: poolSize,
  httpConnections: Math.ceil(config.httpConnections / sharers),
  httpPerAddress: Math.ceil(config.httpPerAddress / sharers),
})

async function settleState(deviceId: string): Promise<void> {
  await settling.send((id) => report({ kind: 'settle_state', id, deviceId }))
}

async function open(config: Config, setup: Setup): Promise<App> {
  const { masterKey, roots, mqttPorts } = setup
  return startApp({
    config: shareOf(config, setup),
    connection: (await openForCommand(config)).connection,
    masterKey: Buffer.from(masterKey),
    roots: { ...roots, keys: roots.keys.map((key) => Buffer.from(key)) },
    isShared: true,
    part: { kind: 'http', mqttPorts, settleState },
    log: createLog(config.logLevel, config.logPriority),
  })
}

const failureOf = (error: unknown): StartFailure => {
  const { message, code, syscall, port, address, hostname } = error as StartFailure
  return { message, code, syscall, port, address, hostname }
}

/** Works until the main process asks it to stop, or has ended. */
export function serveHttp(config: Config): void {
  logEverything(createLog(config.logLevel, config.logPriority))
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
  process.on('disconnect', () => process.exit(FAILED))
  let app: App | undefined
  const start = async (setup: Setup): Promise<void> => {
    app = await open(config, setup)
    report({ kind: 'listening', port: app.ports.http })
  }
  const stop = async (): Promise<void> => {
    app?.retire()
    await sleep(RETIRE_MS)
    await app?.close()
    process.exit(DONE)
  }
  process.on('message', (order: Order) => {
    if (order.kind === 'setup') {
      start(order.setup).catch((error: unknown) => {
        report({ kind: 'failed', failure: failureOf(error) })
        setImmediate(() => process.exit(FAILED))
      })
    }
    if (order.kind === 'metrics') {
      const { id } = order
      void app?.metrics().then((metrics) => report({ kind: 'metrics', id, metrics }))
    }
    if (order.kind === 'state_settled') settling.receive(order.id, true)
    if (order.kind === 'stop') void stop()
  })
  report({ kind: 'asking' })
}
