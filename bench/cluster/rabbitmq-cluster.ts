/** Three nodes of RabbitMQ that are one cluster, on one machine with one port mapper. */
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { freePorts } from '../../test/adapters/broker/free-ports.ts'
import { listens, type Program, startProgram } from '../../test/adapters/broker/start-program.ts'
import {
  ADMIN,
  configurationOf,
  environmentOf,
  type Ports,
  type RabbitmqHooks,
  rabbitmqServer,
  restrict,
} from '../../test/adapters/broker/start-rabbitmq.ts'
import { until } from '../../test/support/until.ts'

const NODES = 3
const HOOK_TIMEOUT_MS = 30_000

interface Node {
  name: string
  folder: string
  ports: Ports
  program: Program | undefined
}

const nodeName = ({ distribution }: Ports): string => `mooring${distribution}@localhost`

/**
 * Without the first, sessions that outlive their connection are away with the node that has them;
 * without the second, few states share a commit; without the third, an isolated node decides alone.
 */
export const CLUSTER_SETTINGS: readonly string[] = [
  'mqtt.durable_queue_type = quorum',
  'mqtt.prefetch = 100',
  'cluster_partition_handling = pause_minority',
]

const clusterLines = (names: readonly string[]): string =>
  [
    'cluster_formation.peer_discovery_backend = classic_config',
    ...names.map((name, at) => `cluster_formation.classic_config.nodes.${at + 1} = ${name}`),
    'cluster_formation.randomized_startup_delay_range.min = 0',
    'cluster_formation.randomized_startup_delay_range.max = 1',
    'cluster_formation.discovery_retry_limit = 1',
    ...CLUSTER_SETTINGS,
    'mqtt.tcp_listen_options.backlog = 4096',
    '',
  ].join('\n')

export class RabbitmqCluster {
  readonly #nodes: readonly Node[]
  readonly #mapper: number
  readonly #home: string

  private constructor(nodes: readonly Node[], mapper: number, home: string) {
    this.#nodes = nodes
    this.#mapper = mapper
    this.#home = home
  }

  /** @param onMade gets what is to be stopped, even if the start fails */
  static async start(
    folder: string,
    hooks: RabbitmqHooks,
    onMade: (cluster: RabbitmqCluster) => void,
  ): Promise<RabbitmqCluster> {
    mkdirSync(folder, { mode: 0o700 })
    const cookie = randomBytes(16).toString('hex').toUpperCase()
    writeFileSync(join(folder, '.erlang.cookie'), cookie, { mode: 0o400 })
    const [mapper = 0, ...free] = await freePorts(1 + NODES * 3)
    const places = Array.from({ length: NODES }, (_, at): Ports => {
      const [mqtt = 0, management = 0, distribution = 0] = free.slice(at * 3)
      return { mqtt, management, distribution, mapper }
    })
    const cluster = clusterLines(places.map(nodeName))
    const nodes = places.map((ports): Node => {
      const name = nodeName(ports)
      const own = join(folder, name)
      mkdirSync(own, { mode: 0o700 })
      const text = configurationOf(ports, hooks, HOOK_TIMEOUT_MS) + cluster
      writeFileSync(join(own, 'rabbitmq.conf'), text)
      writeFileSync(join(own, 'advanced.config'), '[].\n')
      const plugins = 'rabbitmq_mqtt,rabbitmq_management,rabbitmq_auth_backend_http'
      writeFileSync(join(own, 'enabled_plugins'), `[${plugins}].\n`)
      return { name, folder: own, ports, program: undefined }
    })
    const made = new RabbitmqCluster(nodes, mapper, folder)
    onMade(made)
    // The first one begins the cluster; the others join it.
    for (const at of nodes.keys()) await made.startNode(at)
    await restrict(places[0]?.management ?? 0)
    return made
  }

  get mqttPorts(): number[] {
    return this.#nodes.map(({ ports }) => ports.mqtt)
  }

  get managementPorts(): number[] {
    return this.#nodes.map(({ ports }) => ports.management)
  }

  /** Starts a node, and waits until it speaks MQTT and all of the cluster are together. */
  async startNode(at: number): Promise<void> {
    const node = this.#nodes[at] as Node
    const environment = {
      ...environmentOf(node.folder, node.ports),
      HOME: this.#home,
    }
    node.program = startProgram(rabbitmqServer(), [], environment)
    await listens(node.ports.mqtt, node.program)
    await listens(node.ports.management, node.program)
    const running = this.#nodes.filter(({ program }) => program !== undefined).length
    const { username, password } = ADMIN
    const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
    await until('the nodes are together', async () => {
      const url = `http://127.0.0.1:${node.ports.management}/api/nodes?columns=running`
      const response = await fetch(url, { headers: { authorization } }).catch(() => undefined)
      if (response?.ok !== true) return false
      const nodes = (await response.json()) as { running: boolean }[]
      return nodes.filter((each) => each.running).length === running
    })
  }

  /** Kills a node, as the end of its machine does. */
  async killNode(at: number): Promise<void> {
    const node = this.#nodes[at] as Node
    await node.program?.stop('SIGKILL')
    node.program = undefined
  }

  async stop(): Promise<void> {
    await Promise.all(this.#nodes.map(async ({ program }) => program?.stop('SIGKILL')))
    const env = { ...process.env, ERL_EPMD_PORT: String(this.#mapper) }
    // It refuses while it has not noticed yet that its nodes are gone.
    for (let tries = 0; tries < 100; tries += 1) {
      if (spawnSync('/usr/bin/epmd', ['-kill'], { env }).status === 0) return
      await wait(50)
    }
  }
}
