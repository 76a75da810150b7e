/** The whole service as in production, on a given database and free ports. */
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { type App, startApp } from '../../src/app/app.ts'
import { readConfig } from '../../src/platform/config/config.ts'
import { createLog } from '../../src/platform/log.ts'
import { respondCalls } from '../support/worker.ts'

const settings = {
  MOORING_HTTP_PORT: '0',
  MOORING_OPERATOR_PORT: '0',
  MOORING_MQTT_PORT: '0',
  // One caller stands for many here, and would be stopped within the first second.
  MOORING_RATE_LIMITS: 'off',
  MOORING_LOG_LEVEL: 'warn',
}

let app: App | undefined

const WATCH_MS = 100
/** Longer than the pause between two runs of what continues alongside the requests. */
const QUIET_MS = 600
const IDLE_SHARE = 0.15
const TIMEOUT_MS = 10_000

/** Waits until what the last requests left behind (the audit chain, presence) is done. */
async function settle(): Promise<void> {
  const deadline = performance.now() + TIMEOUT_MS
  let quietSince = performance.now()
  while (performance.now() - quietSince < QUIET_MS && performance.now() < deadline) {
    const before = process.cpuUsage()
    const started = performance.now()
    await sleep(WATCH_MS)
    const { user, system } = process.cpuUsage(before)
    const share = (user + system) / 1_000 / (performance.now() - started)
    if (share > IDLE_SHARE) quietSince = performance.now()
  }
}

interface ServiceStart {
  connection: pg.PoolConfig
  masterKey: Uint8Array
  /** Variables that differ from their defaults. */
  environment?: Record<string, string>
  isShared: boolean
}

const methods = {
  async start({ connection, masterKey, environment, isShared }: ServiceStart) {
    const config = readConfig({ ...settings, ...environment })
    app = await startApp({
      config,
      connection,
      masterKey: Buffer.from(masterKey),
      isShared,
      log: createLog(config.logLevel),
    })
    return app.ports
  },
  settle: (_argument: undefined) => settle(),
}
export type ServiceProgram = typeof methods

respondCalls(methods, async () => app?.close())
