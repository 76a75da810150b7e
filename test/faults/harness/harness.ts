/** One run: a service, the parts of the load, and the rounds. */
import { setTimeout as sleep } from 'node:timers/promises'
import { parseId } from '../../../src/platform/lib/ids.ts'
import { as } from '../../support/app.ts'
import { PayingClient } from '../../support/paying-client.ts'
import { plansFile } from '../../support/plans.ts'
import { printedOwner, type Service, signIn, startService } from '../../support/service.ts'
import { startStripe } from '../../support/stripe.ts'
import { startReceiver } from '../../features/events/webhooks/receivers.ts'
import { bringBack, kill, pickTarget } from './kills.ts'
import { Accounts } from './parts/accounts.ts'
import { Billing } from './parts/billing.ts'
import { Claims } from './parts/claims.ts'
import { Devices } from './parts/devices.ts'
import { Events } from './parts/events.ts'
import { Imports } from './parts/imports.ts'
import { Jobs } from './parts/jobs.ts'
import { Keys } from './parts/keys.ts'
import { Records } from './parts/records.ts'
import { type Part, type Place, World } from './world.ts'

/** The load before the kill, and after that of a part that the service outlives. */
const LONGEST_LOAD_MS = 1_500
const LONGEST_REST_MS = 1_000

type Steps = (() => unknown)[]

async function prepare(service: Service, headers: Record<string, string>): Promise<Place> {
  const { body: workspaces } = await service.call('GET', '/workspaces', { headers })
  const workspaceId = workspaces.items[0].id as string
  const path = `/workspaces/${workspaceId}`
  const make = async (what: string, body: object): Promise<{ id: string; key: string }> =>
    (await service.call('POST', `${path}/${what}`, { headers, body })).body
  const template = { model_key: 'sensor', name: 'Sensor', serial_format: 'S-%#f' }
  return {
    path,
    workspaceId,
    workspaceUuid: parseId('ws', workspaceId) as string,
    templateId: (await make('device-templates', template)).id,
    staff: as.platformKey((await make('api-keys', { key_kind: 'platform' })).key),
    factory: as.factory((await make('api-keys', { key_kind: 'provision' })).key),
  }
}

export class Harness {
  readonly #world: World
  readonly #parts: readonly Part[]
  readonly #start: (dataDir: string) => Promise<Service>
  readonly #closers: Steps
  readonly #startedAt = performance.now()
  #rounds = 0
  #kills: Record<string, number> = {}

  private constructor(
    world: World,
    parts: readonly Part[],
    start: (dataDir: string) => Promise<Service>,
    closers: Steps,
  ) {
    this.#world = world
    this.#parts = parts
    this.#start = start
    this.#closers = closers
  }

  static async start(seed: number, dataDir: string): Promise<Harness> {
    const closers: Steps = []
    const t = { after: (step: () => unknown) => void closers.push(step) }
    const stripe = await startStripe(t)
    const receiver = await startReceiver(t)
    const environment = {
      ...stripe.environment,
      MOORING_PLANS_FILE: plansFile(),
      MOORING_TAX_RATE_BP: '1900',
      MOORING_LOG_LEVEL: 'info',
      MOORING_WEBHOOK_ALLOWED_HOSTS: '127.0.0.1',
      MOORING_WEBHOOK_RETRY_S: '0.2,0.5,1,1,1,2,2,2,5,5,36000',
    }
    const start = (folder: string): Promise<Service> => startService(t, folder, { environment })
    const world = new World(seed, dataDir, await start(dataDir))
    const owner = printedOwner(world.service)
    const headers = await signIn(world.service, owner)
    world.place = await prepare(world.service, headers)
    const devices = new Devices(world)
    const imports = new Imports(world)
    const jobs = new Jobs(world, imports)
    const events = new Events(world, receiver)
    const payer = new PayingClient(stripe, world.place.path, headers)
    const billing = new Billing(world, payer, owner)
    const accounts = new Accounts(world, headers)
    for (const part of [jobs, billing, events, accounts]) await part.prepare()
    const claims = new Claims(world, devices)
    const keys = new Keys(world)
    const records = new Records(world)
    const parts = [devices, claims, keys, accounts, imports, jobs, billing, events, records]
    return new Harness(world, parts, start, closers)
  }

  get violations(): readonly string[] {
    return this.#world.violations
  }

  /** The output of the present process of the service. */
  get log(): string {
    const { stdout, stderr } = this.#world.service.output
    return `${stdout}\n${stderr}`
  }

  /** The background tasks, and the locks of their queues. */
  async tasks(): Promise<string> {
    const world = this.#world
    const tables = ['_private_jobs', '_private_job_queues'].map(async (table) => {
      const rows = await world.rows(`SELECT row_to_json(t) AS row FROM graphile_worker.${table} t`)
      return rows.map((row) => JSON.stringify(row)).join('\n')
    })
    return (await Promise.all(tables)).join('\n\n')
  }

  /** @returns a line about the round */
  async runRound(round: number): Promise<string> {
    const world = this.#world
    const startedAt = performance.now()
    world.round = round
    const random = world.random(0)
    const target = pickTarget(random)
    const before = { done: this.#acknowledged, unknown: world.unknown }
    world.isLoading = true
    const load = Promise.all(this.#parts.map((part) => part.load()))
    const loadMs = Math.round(200 + random() * LONGEST_LOAD_MS)
    await sleep(loadMs)
    await kill(world, target, random)
    const isUp = target === 'postgres' || target === 'backend'
    if (isUp) await sleep(random() * LONGEST_REST_MS)
    world.isLoading = false
    const back = bringBack(world, target, this.#start)
    await Promise.all([load, back])
    for (const part of this.#parts) await part.check()
    this.#rounds += 1
    this.#kills[target] = (this.#kills[target] ?? 0) + 1
    const done = this.#acknowledged - before.done
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1)
    return (
      `round ${round}: killed the ${target} after ${loadMs} ms; ${done} acknowledged, ` +
      `${world.unknown - before.unknown} unknown; ${seconds} s`
    )
  }

  get #acknowledged(): number {
    return Object.values(this.#world.acknowledged).reduce((sum, count) => sum + count, 0)
  }

  summary(): string {
    const listed = (counts: Record<string, number>): string =>
      Object.entries(counts)
        .map(([name, count]) => `${name} ${count}`)
        .join(', ')
    const seconds = Math.round((performance.now() - this.#startedAt) / 1_000)
    return [
      `${this.#rounds} rounds in ${seconds} s; killed: ${listed(this.#kills)}`,
      `${this.#acknowledged} acknowledged (${listed(this.#world.acknowledged)})`,
      `${this.#world.unknown} unknown; ${this.violations.length} violations`,
    ].join('\n')
  }

  async stop(): Promise<void> {
    for (const close of this.#closers.toReversed()) await close()
  }
}
