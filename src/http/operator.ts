/** The operator listener, on its own port: health, readiness, metrics and outgoing mail. */
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
  /** Whether requests can be served now. */
  isReady(): Promise<boolean>
  /** Gauges by name; they expose no tenant data. */
  gauges: Readonly<Record<string, { help: string; value: () => number }>>
  /** Counters by name and by the values of one label. */
  counters?: Readonly<
    Record<string, { help: string; label: string; totals: () => Readonly<Record<string, number>> }>
  >
  /** The latest mails, newest first. */
  outbox: () => Promise<OutboxMail[]>
  /** Sees each request first; if it returns true, the request is handled. */
  front: (request: IncomingMessage, response: ServerResponse) => boolean
}

/** Brokers keep connections alive; closing one during a request fails a hook. */
const KEEP_ALIVE_MS = 72_000
/** Time limit for receiving a request; Node checks every 30 s. */
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
