/** The operator listener, on its own port: health, readiness, metrics, pages for this machine. */
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import { isIPv4 } from 'node:net'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import {
  AggregatorRegistry,
  collectDefaultMetrics,
  Counter,
  Gauge,
  type Histogram,
  Registry,
} from 'prom-client'
import { catalogue } from '../errors/errors.ts'

export interface Sample {
  labels: Record<string, string>
  value: number
}

/** One number, one for each value of a label, or one for each combination of several. */
type Metric = { help: string } & (
  | { value: () => number | Promise<number> }
  | { label: string; values: () => Readonly<Record<string, number>> }
  | { labels: readonly string[]; samples: () => readonly Sample[] }
)

/** Metrics by name; they expose no tenant data. */
export interface Metrics {
  gauges: Readonly<Record<string, Metric>>
  /** Totals since the start. */
  counters: Readonly<Record<string, Metric>>
  others: readonly Histogram[]
}

/** The metrics of a process, to be added to those of others. */
export type ProcessMetrics = Awaited<ReturnType<Registry['getMetricsAsJSON']>>

/**
 * A page that may show secrets or data of tenants: for this machine only, and not for pages of
 * other origins (DNS rebinding).
 */
export interface LocalPage {
  /** Its path without the slash. */
  name: string
  respond: (request: FastifyRequest, reply: FastifyReply) => Promise<object>
}

export interface OperatorOptions {
  /** Why requests cannot be served now; nothing if they can. */
  problems(): string[]
  /** The state of the service for `mooring status`: the first of the pages for this machine. */
  status: () => Promise<object>
  /** Further pages for this machine. */
  localPages: readonly LocalPage[]
  /** Why each bridge of this process is not connected, by broker; null if it is. */
  bridges(): Readonly<Record<string, string | null>>
  registry: Registry
  /** The metrics of further processes of this service: all are added up. */
  metricsOfOthers?: () => Promise<ProcessMetrics[]>
  /** Sees each request first; if it returns true, the request is handled. */
  front: (request: IncomingMessage, response: ServerResponse) => boolean
}

/** Brokers keep connections alive; closing one during a request fails a hook. */
const KEEP_ALIVE_MS = 72_000
/** Time limit for receiving a request. */
const REQUEST_MS = 30_000
/** How often Node checks for requests that exceed it; its default is 30 s. */
const CHECK_MS = 5_000

const serverWith =
  (front: OperatorOptions['front']) =>
  (routes: RequestListener): Server =>
    createServer(
      {
        keepAliveTimeout: KEEP_ALIVE_MS,
        requestTimeout: REQUEST_MS,
        headersTimeout: REQUEST_MS,
        connectionsCheckingInterval: CHECK_MS,
      },
      (request, response) => {
        if (!front(request, response)) routes(request, response)
      },
    )

const LOCAL_NAMES = new Set(['localhost', '127.0.0.1', '[::1]'])

function isLocal({ socket, headers }: FastifyRequest): boolean {
  const peer = (socket.remoteAddress ?? '').replace(/^::ffff:/, '')
  const loopback = peer === '::1' || (isIPv4(peer) && peer.startsWith('127.'))
  return loopback && LOCAL_NAMES.has((headers.host ?? '').replace(/:\d+$/, ''))
}

function addLocalPage(app: FastifyInstance, { name, respond }: LocalPage): string {
  const path = `/${name}`
  app.get(path, (request, reply) => {
    if (isLocal(request)) return respond(request, reply)
    return reply.code(404).send({ message: `The ${name} is available only on this machine.` })
  })
  return path
}

/** Passes each value of a metric to `take`, with its labels. */
async function readMetric(
  metric: Metric,
  take: (labels: Record<string, string>, value: number) => void,
): Promise<void> {
  if ('value' in metric) return take({}, await metric.value())
  if ('samples' in metric) {
    for (const { labels, value } of metric.samples()) take(labels, value)
    return
  }
  for (const [name, value] of Object.entries(metric.values())) take({ [metric.label]: name }, value)
}

const labelsOf = (metric: Metric): string[] =>
  'label' in metric ? [metric.label] : 'labels' in metric ? [...metric.labels] : []

export function registryOf({ gauges, counters, others }: Metrics): Registry {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  const add = (Kind: typeof Gauge | typeof Counter, metrics: Metrics['gauges']): void => {
    for (const [name, metric] of Object.entries(metrics)) {
      const made: Gauge | Counter = new Kind({
        name,
        help: metric.help,
        labelNames: labelsOf(metric),
        registers,
        collect() {
          // A value of a label that is gone has no number any more.
          made.reset()
          return readMetric(metric, (labels, value) =>
            'set' in made ? made.set(labels, value) : made.inc(labels, value),
          )
        },
      })
    }
  }
  add(Gauge, gauges)
  add(Counter, counters)
  for (const other of others) registry.registerMetric(other)
  return registry
}

const listed = new Intl.ListFormat('en-GB')

export function createOperatorServer(options: OperatorOptions): FastifyInstance {
  const { registry, metricsOfOthers } = options
  const app = Fastify({
    logger: false,
    forceCloseConnections: true,
    // No route takes one; Fastify reads bodies of requests that it has no route for, too.
    bodyLimit: 1_024,
    serverFactory: serverWith(options.front),
  })
  app.get('/healthz', () => ({ status: 'ok' }))
  app.get('/readyz', async (_request, reply) => {
    const problems = options.problems()
    const ready = problems.length === 0
    const bridges = Object.entries(options.bridges()).map(([name, problem]) => [
      name,
      problem ?? 'connected',
    ])
    return reply.code(ready ? 200 : 503).send({
      status: ready ? 'ready' : 'not ready',
      ...(!ready && { problems }),
      ...(bridges.length > 0 && { bridges: Object.fromEntries(bridges) }),
    })
  })
  app.get('/metrics', async (_request, reply) => {
    reply.type(registry.contentType)
    if (metricsOfOthers === undefined) return registry.metrics()
    const [own, others] = await Promise.all([registry.getMetricsAsJSON(), metricsOfOthers()])
    return AggregatorRegistry.aggregate([own, ...others]).metrics()
  })
  addLocalPage(app, { name: 'status', respond: options.status })
  const more = options.localPages.map((page) => addLocalPage(app, page))
  const paths = listed.format(['/readyz', '/healthz', '/status', '/metrics', ...more])
  app.setNotFoundHandler(({ raw }, reply) => {
    const { status, title } = catalogue.not_found
    const detail = `There is no such path. The paths are ${paths}.`
    const instance = (raw.url ?? '').split('?')[0]
    const problem = { type: 'about:blank', title, status, detail, instance, code: 'not_found' }
    return reply.code(status).type('application/problem+json').send(JSON.stringify(problem))
  })
  return app
}
