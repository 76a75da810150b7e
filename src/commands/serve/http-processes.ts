/**
 * The processes that serve the API, as the main process sees them: it starts them, and replaces
 * one that ends. They listen on one port, or, where the system has no SO_REUSEPORT, get their
 * connections from the main process (`node:cluster`).
 */
import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { messageOf } from '../../platform/lib/system-errors.ts'
import { SHARES_PORTS } from '../../app/listeners.ts'
import { PendingRequests } from '../../platform/lib/pending-requests.ts'
import type { ProcessMetrics } from '../../platform/http/operator.ts'
import type { Log } from '../../platform/log.ts'
import type { Order, Report, Setup, StartFailure } from './process-messages.ts'

/** A process that lives longer than this has worked: the pauses before restarts begin again. */
const WORKED_MS = 10_000
const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 5_000
/** Less than the time in which the service stops. */
const STOP_MS = 8_000
const METRICS_MS = 1_000

/** Writes the published state of a device that waits in this process, if there is one. */
type SettleState = (deviceId: string) => Promise<void>

const errorOf = ({ message, ...fields }: StartFailure): Error =>
  Object.assign(new Error(message), fields)

/** Rejects if another program listens there: otherwise both would share the port. */
async function requireFree(host: string, port: number): Promise<void> {
  if (port === 0) return
  const server = createServer()
  server.listen({ host, port, exclusive: true })
  await once(server, 'listening')
  server.close()
  await once(server, 'close')
}

export class HttpProcesses {
  readonly #count: number
  readonly #log: Log
  readonly #listening = new Set<Worker>()
  readonly #readings = new PendingRequests<ProcessMetrics>(METRICS_MS)
  #setup: Setup | undefined
  #settleState: SettleState = () => Promise.resolve()
  #port = 0
  #pauseMs = FIRST_PAUSE_MS
  #isStopping = false

  constructor(count: number, log: Log) {
    this.#count = count
    this.#log = log
    const [, program = ''] = process.argv
    cluster.setupPrimary({ exec: program, args: ['serve'], serialization: 'advanced' })
  }

  /** The port of the API; 0 until it is known. */
  get port(): number {
    return this.#port
  }

  get isServing(): boolean {
    return this.#listening.size > 0
  }

  /** Resolves when all processes listen; rejects with the error of the first that cannot start. */
  async start(setup: Setup, host: string, settleState: SettleState): Promise<void> {
    this.#setup = setup
    this.#settleState = settleState
    this.#port = setup.httpPort
    if (SHARES_PORTS) await requireFree(host, setup.httpPort)
    // With port 0 the first process chooses a free port, which the others then use.
    await this.#begin()
    await Promise.all(Array.from({ length: this.#count - 1 }, () => this.#begin()))
  }

  /** The metrics of each process that answers in time. */
  async metrics(): Promise<ProcessMetrics[]> {
    const found = [...this.#listening].map((worker) => this.#ask(worker))
    return (await Promise.all(found)).filter((metrics) => metrics !== undefined)
  }

  /** Lets all processes answer their running requests; kills processes that take too long. */
  async stop(): Promise<void> {
    this.#isStopping = true
    const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined)
    const ended = workers.map((worker) => once(worker, 'exit'))
    for (const worker of workers) this.#send(worker, { kind: 'stop' })
    const late = setTimeout(() => {
      for (const worker of workers) worker.kill('SIGKILL')
    }, STOP_MS)
    await Promise.all(ended)
    clearTimeout(late)
  }

  #send(worker: Worker, order: Order): void {
    // A process that has just ended is replaced by the handler of `exit`.
    if (worker.isConnected()) worker.send(order, () => {})
  }

  #begin(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const worker = cluster.fork()
    const begun = performance.now()
    // After an error of its channel the process ends, which is handled below.
    worker.on('error', () => {})
    worker.on('message', (report: Report) => {
      if (report.kind === 'asking' && this.#setup !== undefined) {
        this.#send(worker, { kind: 'setup', setup: { ...this.#setup, httpPort: this.#port } })
      }
      if (report.kind === 'listening') {
        this.#port = report.port
        this.#listening.add(worker)
        resolve()
      }
      if (report.kind === 'failed') reject(errorOf(report.failure))
      if (report.kind === 'metrics') this.#readings.receive(report.id, report.metrics)
      if (report.kind === 'settle_state') void this.#settle(worker, report)
    })
    worker.once('exit', (code: number | null, signal: string | null) => {
      const hasListened = this.#listening.delete(worker)
      reject(new Error(`a process for the API ended while it started (${signal ?? code})`))
      if (!hasListened || this.#isStopping) return
      const fields = { worker: worker.id, code, signal }
      this.#log('warn', 'a process that serves the API has ended and is replaced', fields)
      void this.#replace(performance.now() - begun)
    })
    return promise
  }

  /** Starts another process, with growing pauses until a start succeeds. */
  async #replace(livedMs: number): Promise<void> {
    if (livedMs > WORKED_MS) this.#pauseMs = FIRST_PAUSE_MS
    while (!this.#isStopping) {
      await sleep(this.#pauseMs, undefined, { ref: false })
      this.#pauseMs = Math.min(2 * this.#pauseMs, LONGEST_PAUSE_MS)
      if (this.#isStopping) return
      try {
        await this.#begin()
        return
      } catch (error) {
        const fields = { error: messageOf(error) }
        this.#log('warn', 'a process for the API could not be started', fields)
      }
    }
  }

  #ask(worker: Worker): Promise<ProcessMetrics | undefined> {
    return this.#readings.send((id) => this.#send(worker, { kind: 'metrics', id }))
  }

  async #settle(worker: Worker, { id, deviceId }: { id: number; deviceId: string }): Promise<void> {
    try {
      await this.#settleState(deviceId)
    } catch {
      // It is written with the next batch; the read finds the database as it is.
    }
    this.#send(worker, { kind: 'state_settled', id })
  }
}
