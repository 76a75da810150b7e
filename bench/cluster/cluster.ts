/** All that runs: two of Postgres, three of RabbitMQ, three of the API, and balancers in front. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { as, callUrl, type Headers } from '../../test/support/app.ts'
import { printedOwner, signIn } from '../../test/support/service.ts'
import { ApiProcesses, type ApiOptions, hooksAt } from './api-processes.ts'
import { type Balancer, startBalancer } from './balancer.ts'
import { PostgresPair } from './postgres-pair.ts'
import { RabbitmqCluster } from './rabbitmq-cluster.ts'

export interface Place {
  /** The address of the API, through the balancer. */
  url: string
  /** The address of each process, without it. */
  urls: readonly string[]
  /** `/workspaces/ws_…` */
  path: string
  templateId: string
  staff: Headers
  factory: Headers
}

type Say = (line: string) => void

const baseOf = (port: number): string => `http://127.0.0.1:${port}/api/v1`

/** A workspace with a template and keys. */
async function prepare(url: string, urls: readonly string[], api: ApiProcesses): Promise<Place> {
  const call: typeof callUrl = (path, method, options) => callUrl(`${url}${path}`, method, options)
  const service = {
    call: (method: string, path: string, options?: Parameters<typeof callUrl>[2]) =>
      call(path, method, options),
  }
  const headers = await signIn(service, printedOwner({ output: api.output }))
  const { body: workspaces } = await service.call('GET', '/workspaces', { headers })
  const path = `/workspaces/${workspaces.items[0].id}`
  const make = async (what: string, body: object): Promise<{ id: string; key: string }> =>
    (await service.call('POST', `${path}/${what}`, { headers, body })).body
  const template = { model_key: 'sensor', name: 'Sensor', serial_format: 'S-%#f' }
  return {
    url,
    urls,
    path,
    templateId: (await make('device-templates', template)).id,
    staff: as.platformKey((await make('api-keys', { key_kind: 'platform' })).key),
    factory: as.factory((await make('api-keys', { key_kind: 'provision' })).key),
  }
}

export class Cluster {
  readonly folder: string
  readonly #closers: (() => Promise<unknown>)[] = []
  postgres!: PostgresPair
  brokers!: RabbitmqCluster
  api!: ApiProcesses
  place!: Place
  #apiOptions!: ApiOptions

  private constructor(folder: string) {
    this.folder = folder
  }

  static async start(say: Say): Promise<Cluster> {
    const cluster = new Cluster(await mkdtemp(join(tmpdir(), 'mooring-cluster-')))
    try {
      await cluster.#start(say)
      return cluster
    } catch (error) {
      await cluster.stop()
      await cluster.remove()
      throw error
    }
  }

  async #balance(ports: readonly number[]): Promise<Balancer> {
    const balancer = await startBalancer(ports)
    this.#closers.push(() => balancer.close())
    return balancer
  }

  async #start(say: Say): Promise<void> {
    this.postgres = await PostgresPair.start(join(this.folder, 'postgres'))
    this.#closers.push(() => this.postgres.stop())
    say('a primary and a synchronous standby')
    this.api = await ApiProcesses.prepare(join(this.folder, 'api'))
    const hooks = await this.#balance(this.api.operatorPorts)
    const secret = this.api.hookSecret
    const folder = join(this.folder, 'rabbitmq')
    this.brokers = await RabbitmqCluster.start(folder, hooksAt(hooks.port, secret), (started) => {
      this.#closers.push(() => started.stop())
    })
    say('a cluster of three brokers')
    const [mqtt, management, http] = [
      await this.#balance(this.brokers.mqttPorts),
      await this.#balance(this.brokers.managementPorts),
      await this.#balance(this.api.httpPorts),
    ]
    this.#closers.push(() => this.api.stop())
    this.#apiOptions = {
      folder: this.folder,
      databaseUrl: this.postgres.url,
      mqtt: mqtt.port,
      management: management.port,
    }
    await this.api.start(this.#apiOptions)
    this.place = await prepare(baseOf(http.port), this.api.httpPorts.map(baseOf), this.api)
    say('three processes of the API')
  }

  startApi(at: number): Promise<void> {
    return this.api.startProcess(at, this.#apiOptions)
  }

  async stop(): Promise<void> {
    for (const close of this.#closers.toReversed()) await close()
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true, maxRetries: 10 })
  }
}
