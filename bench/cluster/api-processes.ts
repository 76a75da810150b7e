/** Three processes of the API without the embedded broker, on one database. */
import { randomBytes } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePorts } from '../../test/adapters/broker/free-ports.ts'
import { ADMIN, type RabbitmqHooks } from '../../test/adapters/broker/start-rabbitmq.ts'
import { main, type Started, start } from '../../test/support/service.ts'
import { until } from '../../test/support/until.ts'

const PROCESSES = 3
/** Starts of one process. */
const TRIES = 5

interface Process {
  folder: string
  http: number
  operator: number
  started: Started | undefined
}

export interface ApiOptions {
  folder: string
  databaseUrl: string
  /** Where the balancers of the cluster of brokers listen. */
  mqtt: number
  management: number
}

/** How RabbitMQ reaches the hooks: the secret stands before the @. */
export function hooksAt(port: number, secret: string): RabbitmqHooks {
  const base = `http://any:${secret}@127.0.0.1:${port}/hooks/rabbitmq/rabbitmq`
  const at = (name: string): string => `${base}/${name}`
  return { user: at('user'), vhost: at('vhost'), resource: at('resource'), topic: at('topic') }
}

export class ApiProcesses {
  readonly hookSecret = randomBytes(24).toString('base64url')
  readonly #masterKey = randomBytes(32).toString('base64')
  readonly #processes: readonly Process[]
  readonly #closers: (() => unknown)[] = []

  private constructor(processes: readonly Process[]) {
    this.#processes = processes
  }

  /** Chooses the ports; nothing runs yet, as the brokers need the ports of the hooks first. */
  static async prepare(folder: string): Promise<ApiProcesses> {
    mkdirSync(folder, { mode: 0o700 })
    const ports = await freePorts(PROCESSES * 2)
    const processes = Array.from({ length: PROCESSES }, (_, at): Process => {
      const [http = 0, operator = 0] = ports.slice(at * 2)
      return { folder: join(folder, `api-${at}`), http, operator, started: undefined }
    })
    return new ApiProcesses(processes)
  }

  get httpPorts(): number[] {
    return this.#processes.map(({ http }) => http)
  }

  get operatorPorts(): number[] {
    return this.#processes.map(({ operator }) => operator)
  }

  /** Starts all; the first one makes the schema and the owner. */
  async start(options: ApiOptions): Promise<void> {
    for (const at of this.#processes.keys()) await this.startProcess(at, options)
  }

  /** As a supervisor does: a process that ends while it starts is started again. */
  async startProcess(at: number, options: ApiOptions): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#startOnce(at, options)
      } catch (error) {
        if (tries === TRIES) throw error
      }
    }
  }

  async #startOnce(at: number, options: ApiOptions): Promise<void> {
    const process = this.#processes[at] as Process
    const brokers = join(options.folder, 'brokers.json')
    writeFileSync(brokers, this.#brokersFile(options), { mode: 0o600 })
    const t = { after: (step: () => unknown) => void this.#closers.push(step) }
    const started = start(t, [main, 'serve'], {
      environment: {
        DATABASE_URL: options.databaseUrl,
        MOORING_MASTER_KEY: this.#masterKey,
        MOORING_DATA_DIR: process.folder,
        MOORING_HTTP_PORT: String(process.http),
        MOORING_OPERATOR_PORT: String(process.operator),
        MOORING_EMBEDDED_BROKER: 'off',
        MOORING_BROKERS_FILE: brokers,
        MOORING_PROCESSES: '1',
        MOORING_CONSOLE: 'off',
        MOORING_RATE_LIMITS: 'off',
      },
    })
    process.started = started
    await until('a process of the API is ready', () => {
      const { exitCode } = started.process
      if (exitCode !== null) throw new Error(`a process ended: ${started.output.stderr}`)
      return /^ {2}Data /m.test(started.output.stdout)
    })
  }

  #brokersFile({ mqtt, management }: ApiOptions): string {
    const broker = {
      name: 'rabbitmq',
      kind: 'rabbitmq',
      hook_secrets: [this.hookSecret],
      admin: { url: `http://127.0.0.1:${management}`, ...ADMIN },
      mqtt: {
        url: `mqtt://127.0.0.1:${mqtt}`,
        username: 'mooring-bridge',
        password: this.hookSecret,
      },
      endpoints: [{ protocol: 'mqtt', host: '127.0.0.1', port: mqtt, default: true }],
    }
    return JSON.stringify({ brokers: [broker] })
  }

  /** The output of the first process: the owner. */
  get output(): Started['output'] {
    return (this.#processes[0] as Process).started?.output ?? { stdout: '', stderr: '' }
  }

  async kill(at: number): Promise<void> {
    const { started } = this.#processes[at] as Process
    started?.process.kill('SIGKILL')
    await started?.ended
  }

  /** The last lines of each process, for a violation. */
  get logs(): string[] {
    return this.#processes.map(({ started }) => started?.output.stderr.slice(-4_000) ?? '')
  }

  async stop(): Promise<void> {
    for (const close of this.#closers.toReversed()) await close()
  }
}
