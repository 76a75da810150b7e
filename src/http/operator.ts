/** The operator's listener: health, readiness, metrics and mail, on a port of its own. */
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import Fastify, { type FastifyInstance } from 'fastify'
import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client'
import { addOutbox, type OutboxMail } from './outbox.ts'

export interface OperatorOptions {
  /** Whether requests can be answered now. */
  isReady(): Promise<boolean>
  /** Names and present values of gauges; tenants' data is not among them. */
  gauges: Readonly<Record<string, { help: string; value: () => number }>>
  /** Names and totals of counters, by the values of one label. */
  counters?: Readonly<
    Record<string, { help: string; label: string; totals: () => Readonly<Record<string, number>> }>
  >
  /** The last mails, newest first. */
  outbox: () => Promise<OutboxMail[]>
  /** Is shown each request first; what it takes, true, comes to no route. */
  front: (request: IncomingMessage, response: ServerResponse) => boolean
}

/** Brokers keep connections for later: who closes one while it is asked is a hook that fails. */
const KEEP_ALIVE_MS = 72_000
/** A whole request has come by then, or its connection is closed; Node looks every 30 s. */
const REQUEST_MS = 30_000

const serverWith =
  (front: OperatorOptions['front']) =>
  (routes: RequestListener): Server =>
    createServer(
      { keepAliveTimeout: KEEP_ALIVE_MS, requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS },
      (request, response) => {
        if (!front(request, response)) routes(request, response)
      },
    )

export function createOperatorServer(options: OperatorOptions): FastifyInstance {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  for (const [name, { help, value }] of Object.entries(options.gauges)) {
    const gauge: Gauge = new Gauge({
      name,
      help,
      registers: [registry],
      collect: () => gauge.set(value()),
    })
  }
  for (const [name, { help, label, totals }] of Object.entries(options.counters ?? {})) {
    const counter: Counter = new Counter({
      name,
      help,
      labelNames: [label],
      registers: [registry],
      collect() {
        counter.reset()
        for (const [value, total] of Object.entries(totals()))
          counter.inc({ [label]: value }, total)
      },
    })
  }
  const app = Fastify({
    logger: false,
    forceCloseConnections: true,
    serverFactory: serverWith(options.front),
  })
  app.get('/healthz', () => ({ status: 'ok' }))
  app.get('/readyz', async (_request, reply) => {
    const ready = await options.isReady()
    return reply.code(ready ? 200 : 503).send({ status: ready ? 'ready' : 'not ready' })
  })
  app.get('/metrics', async (_request, reply) => {
    reply.type(registry.contentType)
    return registry.metrics()
  })
  addOutbox(app, options.outbox)
  return app
}
