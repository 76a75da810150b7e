/**
 * A RabbitMQ of its own: a node, a port mapper and a folder that belong to one test. It
 * asks for rights over HTTP, at the address that the test names.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { freePorts } from './free-ports.ts'
import { listens, type Program, startProgram } from './start-program.ts'

const LIBRARIES = '/usr/lib/rabbitmq/lib'

/** The script of the installed version: the one on the path would change to another user. */
export function rabbitmqServer(): string {
  try {
    const version = readdirSync(LIBRARIES).find((name) => name.startsWith('rabbitmq_server-'))
    return join(LIBRARIES, version ?? 'rabbitmq_server', 'sbin/rabbitmq-server')
  } catch {
    return join(LIBRARIES, 'rabbitmq_server/sbin/rabbitmq-server')
  }
}

export interface RabbitmqHooks {
  user: string
  vhost: string
  resource: string
  topic: string
}

export interface StartedRabbitmq {
  /** Where MQTT is spoken. */
  port: number
  readonly pid: number
  /** The management API, up to `/api`. */
  url: string
  /** An administrator whom the broker knows by itself. */
  username: string
  password: string
  restart(): Promise<void>
  stop(): Promise<void>
}

export const ADMIN = { username: 'mooring', password: 'only for tests' }

export const configurationOf = (
  ports: Ports,
  hooks: RabbitmqHooks,
  hookTimeoutMs: number,
): string => `
listeners.tcp = none
mqtt.listeners.tcp.default = 127.0.0.1:${ports.mqtt}
mqtt.allow_anonymous = false
mqtt.vhost = /
mqtt.exchange = amq.topic
management.tcp.ip = 127.0.0.1
management.tcp.port = ${ports.management}
default_user = ${ADMIN.username}
default_pass = ${ADMIN.password}
auth_backends.1 = internal
auth_backends.2 = http
auth_http.http_method = post
auth_http.user_path = ${hooks.user}
auth_http.vhost_path = ${hooks.vhost}
auth_http.resource_path = ${hooks.resource}
auth_http.topic_path = ${hooks.topic}
auth_http.request_timeout = ${hookTimeoutMs}
auth_http.connection_timeout = ${hookTimeoutMs}
log.console = true
log.console.level = warning
log.file = false
`

export interface Ports {
  mqtt: number
  management: number
  distribution: number
  mapper: number
}

export function environmentOf(folder: string, ports: Ports): Record<string, string> {
  return {
    HOME: folder,
    RABBITMQ_NODENAME: `mooring${ports.distribution}@localhost`,
    RABBITMQ_CONF_ENV_FILE: join(folder, 'none'),
    RABBITMQ_CONFIG_FILE: join(folder, 'rabbitmq.conf'),
    RABBITMQ_ADVANCED_CONFIG_FILE: join(folder, 'advanced.config'),
    RABBITMQ_ENABLED_PLUGINS_FILE: join(folder, 'enabled_plugins'),
    RABBITMQ_MNESIA_BASE: join(folder, 'data'),
    RABBITMQ_LOG_BASE: join(folder, 'log'),
    RABBITMQ_PID_FILE: join(folder, 'pid'),
    RABBITMQ_DIST_PORT: String(ports.distribution),
    RABBITMQ_NODE_PORT: '',
    ERL_EPMD_PORT: String(ports.mapper),
    ERL_EPMD_ADDRESS: '127.0.0.1',
    // One scheduler is enough for a test, and its threads don't spin while they wait.
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: '+S 1:1 +sbwt none +sbwtdcpu none +sbwtdio none',
  }
}

/** Leaves the administrator what examples/brokers/rabbitmq.conf gives it. */
export async function restrict(management: number): Promise<void> {
  const { username, password } = ADMIN
  const url = `http://127.0.0.1:${management}/api/permissions/%2F/${username}`
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
  const rights = { configure: '^mqtt-subscription-', write: '^amq\\.topic$', read: '' }
  const options = { method: 'PUT', headers: { authorization }, body: JSON.stringify(rights) }
  const { ok, status } = await fetch(url, options)
  if (!ok) throw new Error(`The rights of the administrator were answered with ${status}.`)
}

/**
 * @param hookTimeoutMs as examples/brokers/rabbitmq.conf has it, unless it is waited for.
 * @param more lines of its configuration
 */
export async function startRabbitmq(
  hooks: RabbitmqHooks,
  hookTimeoutMs = 30_000,
  more: readonly string[] = [],
): Promise<StartedRabbitmq> {
  const folder = mkdtempSync(join(tmpdir(), 'mooring-rabbitmq-'))
  const [mqtt = 0, management = 0, distribution = 0, mapper = 0] = await freePorts(4)
  const ports = { mqtt, management, distribution, mapper }
  const configuration = configurationOf(ports, hooks, hookTimeoutMs) + more.join('\n')
  writeFileSync(join(folder, 'rabbitmq.conf'), `${configuration}\n`)
  writeFileSync(join(folder, 'advanced.config'), '[].\n')
  const plugins = 'rabbitmq_mqtt,rabbitmq_management,rabbitmq_auth_backend_http'
  writeFileSync(join(folder, 'enabled_plugins'), `[${plugins}].\n`)
  let program: Program
  const begin = async (): Promise<void> => {
    program = startProgram(rabbitmqServer(), [], environmentOf(folder, ports))
    await listens(mqtt, program)
    await listens(management, program)
    await restrict(management)
  }
  /** The node's port mapper leaves its process group, and has to be asked to end. */
  const stop = async (signal: NodeJS.Signals): Promise<void> => {
    await program.stop(signal)
    const env = { ...process.env, ERL_EPMD_PORT: String(mapper) }
    // It refuses while it has not noticed yet that its node is gone.
    for (let tries = 0; tries < 100; tries += 1) {
      if (spawnSync('/usr/bin/epmd', ['-kill'], { env }).status === 0) return
      await wait(50)
    }
  }
  await begin()
  return {
    port: mqtt,
    get pid() {
      return program.child.pid ?? 0
    },
    url: `http://127.0.0.1:${management}/api`,
    ...ADMIN,
    async restart() {
      await stop('SIGTERM')
      await begin()
    },
    async stop() {
      await stop('SIGKILL')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
