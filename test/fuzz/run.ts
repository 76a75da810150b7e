/**
 * `npm run fuzz`: sends random requests to a service of its own, made from its OpenAPI document,
 * and checks that every response is one that the document promises (docs/decisions/0066).
 */
import { randomBytes, randomInt } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setInterval } from 'node:timers/promises'
import { Command, InvalidArgumentError } from 'commander'
import { startWorker, type Worker } from '../../bench/support/worker.ts'
import { prepare, startPrivateServer, temporaryFolder } from '../support/private-server.ts'
import type { CallerKind } from '../../src/platform/access/principal.ts'
import { Check } from './check.ts'
import { Connection } from './connection.ts'
import { isRight } from './credentials.ts'
import { type Document, readDocument } from './document.ts'
import { Report } from './report.ts'
import { bytesOf, type Draft, Requests } from './requests.ts'
import type { FuzzedService, FuzzTenant } from './service.ts'
import { World } from './world.ts'

interface Options {
  requests: number
  seed: number
  connections: number
  operation?: string
  maxMemory: number
}

const whole = (text: string): number => {
  if (!/^\d{1,10}$/.test(text)) throw new InvalidArgumentError('It must be an integer.')
  return Number(text)
}

const program = new Command('npm run fuzz --')
  .description('Sends random requests to a private service and checks every response.')
  .option('--requests <count>', 'how many', whole, 20_000)
  .option('--seed <number>', 'the same requests again; ids and tokens differ', whole)
  .option('--connections <count>', 'how many are sent at once', whole, 48)
  .option('--operation <id>', 'only this operation, by its operationId')
  .option('--max-memory <MiB>', 'the most that the service may need', whole, 1_024)

/** Requests after which a new tenant takes the place of one that is full of what was created. */
const TENANT_REQUESTS = 4_000
const MEMORY_EVERY_MS = 1_000
const DEAD_CODES = /"code":"(?:credential_rejected|workspace_not_found)"/

const KINDS: readonly CallerKind[] = ['user', 'platform-key', 'provision-key', 'device', 'moid']

/** Whether nobody is left who could do what some operations do. */
const isSpent = (world: World): boolean =>
  KINDS.some((kind) => !world.tenant.credentials.some((each) => isRight(each, [kind])))

class Fuzzer {
  readonly #service: Worker<FuzzedService>
  readonly #requests: Requests
  readonly #check: Check
  readonly #report: Report
  readonly #options: Options
  #world: World
  #age = 0
  /** The next tenant, which is made while the present one is used. */
  #spare: Promise<FuzzTenant> | undefined
  #renewal: Promise<void> | undefined
  #number = 0
  /** Copies of a request that are still to be sent. */
  readonly #copies: [number: number, draft: Draft][] = []

  constructor(
    service: Worker<FuzzedService>,
    world: World,
    document: Document,
    report: Report,
    options: Options,
  ) {
    this.#service = service
    this.#world = world
    this.#requests = new Requests(
      document,
      ({ id }) => options.operation === undefined || id === options.operation,
    )
    this.#check = new Check(document)
    this.#report = report
    this.#options = options
  }

  async #renew(): Promise<void> {
    this.#world = new World(await (this.#spare ?? this.#service.call('tenant', undefined)))
    this.#spare =
      this.#options.requests - this.#number > TENANT_REQUESTS / 10
        ? this.#service.call('tenant', undefined)
        : undefined
    this.#age = 0
    this.#renewal = undefined
  }

  #next(): [number: number, draft: Draft] | undefined {
    const copy = this.#copies.pop()
    if (copy !== undefined) return copy
    if (this.#number >= this.#options.requests) return undefined
    this.#number += 1
    this.#age += 1
    const draft = this.#requests.draft(this.#options.seed, this.#number, this.#world)
    for (let left = draft.copies - 1; left > 0; left -= 1) {
      this.#copies.push([this.#number, draft])
    }
    return [this.#number, draft]
  }

  /** Sends one request after the other. */
  async #drive(port: number): Promise<void> {
    const connection = new Connection(port)
    let before: Draft | undefined
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      const [number, draft] = next
      const world = this.#world
      const response = await connection.send(bytesOf(draft), draft.method === 'HEAD')
      this.#report.count(draft, response)
      const fault = this.#check.of(draft, response, world.tenant.marker)
      if (fault !== undefined) this.#report.violation(number, draft, response, fault, before)
      before = draft
      if (draft.sender === 'right') this.#inspect(world, draft, response)
      const isOld = this.#age >= TENANT_REQUESTS || isSpent(world)
      if (world === this.#world && isOld) await (this.#renewal ??= this.#renew())
    }
    connection.close()
  }

  #inspect(world: World, draft: Draft, response: Parameters<World['learn']>[0]): void {
    const { status, body } = response
    const { credential, isStray, path } = draft
    if (status === 200 || status === 201) world.learn(response)
    if (credential === undefined || isStray || (status !== 401 && status !== 404)) return
    const isEnded = status === 401 || path.includes(world.tenant.workspaceId)
    if (isEnded && DEAD_CODES.test(body.toString())) world.remove(credential)
  }

  async run(port: number) {
    const { connections } = this.#options
    const stopping = new AbortController()
    const sampling = this.#sample(stopping.signal)
    try {
      const drives = Array.from({ length: connections }, () => this.#drive(port))
      // The first error ends the run, but every response that is on its way is still waited for.
      for (const drive of drives) drive.catch(() => this.#end())
      await Promise.allSettled(drives)
      await Promise.all([...drives, this.#spare])
      const use = await this.#service.call('use', undefined)
      this.#report.remember(use.now)
      return use
    } finally {
      stopping.abort()
      await sampling
    }
  }

  /** Nothing more is sent. */
  #end(): void {
    this.#number = this.#options.requests
    this.#copies.length = 0
  }

  /** Reads the memory of the service every second, until the run ends. */
  async #sample(signal: AbortSignal): Promise<void> {
    try {
      for await (const _ of setInterval(MEMORY_EVERY_MS, undefined, { signal })) {
        this.#report.remember((await this.#service.call('use', undefined)).now)
      }
    } catch (error) {
      if (!signal.aborted) throw error
    }
  }
}

async function fuzz(folder: string, options: Options): Promise<boolean> {
  const postgres = await startPrivateServer(join(folder, 'data'))
  const service = startWorker<FuzzedService>('test/fuzz/service.ts')
  try {
    const { connection } = postgres
    await prepare(connection)
    const { port } = await service.call('start', { connection, masterKey: randomBytes(32) })
    const origin = `http://127.0.0.1:${port}`
    const response = await fetch(`${origin}/api/v1/openapi.json`)
    const document = readDocument((await response.json()) as Parameters<typeof readDocument>[0])
    const report = new Report({ seed: options.seed, origin })
    const world = new World(await service.call('tenant', undefined))
    const started = performance.now()
    const use = await new Fuzzer(service, world, document, report, options).run(port)
    const seconds = (performance.now() - started) / 1_000
    const operations = document.targets.length
    process.stdout.write(report.summary({ operations, seconds, use }))
    const isBounded = use.peak <= options.maxMemory
    if (!isBounded) process.stdout.write(`The service needed more than ${options.maxMemory} MiB.\n`)
    return report.violations === 0 && isBounded
  } finally {
    await service.stop()
    await postgres.stop()
  }
}

const chosen = program.parse().opts<Omit<Options, 'seed'> & { seed?: number }>()
const options: Options = { ...chosen, seed: chosen.seed ?? randomInt(2 ** 31) }
process.stdout.write(`seed ${options.seed}, ${options.requests} requests\n`)
const folder = mkdtempSync(join(temporaryFolder(), 'mooring-fuzz-'))
try {
  process.exitCode = (await fuzz(folder, options)) ? 0 : 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
