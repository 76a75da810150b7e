/** The whole service as in production, on a given database and free ports. */
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { type App, startApp } from '../../src/app/app.ts'
import type { TopicRule } from '../../src/adapters/broker/port.ts'
import { readConfig } from '../../src/platform/config/config.ts'
import { CredentialAuthority } from '../../src/features/mqtt/credentials/authority.ts'
import {
  type Credential,
  grantOf,
  type Secret,
} from '../../src/features/mqtt/credentials/credential.ts'
import { parseId } from '../../src/platform/lib/ids.ts'
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
  /** A workspace's id: everybody is let in over MQTT as a device of it, and nobody is looked at. */
  letIn?: string | undefined
  isShared: boolean
}

const rules: TopicRule[] = [{ action: 'pubsub', topic: 'bench/#', permission: 'allow' }]

const secret: Secret = {
  generation: 1,
  hash: '',
  expiresAt: null,
  isUsed: true,
  recognisedBy: undefined,
}

function credentialOf(name: string, publicWorkspaceId: string): Credential {
  return {
    kind: 'device',
    id: parseId('dev', name) ?? '',
    name,
    workspaceId: parseId('ws', publicWorkspaceId) ?? '',
    publicWorkspaceId,
    clientIds: [name],
    topicPrefix: 'bench',
    templateId: null,
    isFirst: false,
    isGone: false,
    denial: undefined,
    expiresAt: null,
    sessionsFrom: 0,
    secrets: [secret],
    rules,
    refs: [],
  }
}

/** Takes the authentication away, and nothing of what is done for anyone who is connected. */
function letEverybodyIn(workspaceId: string): void {
  const known = new Map<string, Credential>()
  CredentialAuthority.prototype.connect = ({ username = '' }) => {
    const credential = known.get(username) ?? credentialOf(username, workspaceId)
    known.set(username, credential)
    const basis = { since: 0, credential, secret }
    return { accepted: true, grant: grantOf(credential, 1, undefined, basis) }
  }
}

const methods = {
  async start({ connection, masterKey, environment, letIn, isShared }: ServiceStart) {
    if (letIn !== undefined) letEverybodyIn(letIn)
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
