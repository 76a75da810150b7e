/** Traces and the request log cost nothing where they are off: their code is not in the way. */
import assert from 'node:assert/strict'
import { AsyncLocalStorage } from 'node:async_hooks'
import { test, type TestContext } from 'node:test'
import { requestLogOf } from '../../src/app/listeners.ts'
import { createTracing, watchConnects } from '../../src/app/tracing.ts'
import { readConfig } from '../../src/platform/config/config.ts'
import { HttpConnections } from '../../src/platform/http/connections.ts'
import { createServer, type ServerOptions } from '../../src/platform/http/server.ts'
import { newUuid } from '../../src/platform/lib/ids.ts'
import { within } from '../../src/platform/trace/span.ts'
import { Tracer } from '../../src/platform/trace/tracer.ts'
import { as, type TestApp } from '../support/app.ts'
import { startCollector } from '../support/collector.ts'
import { useTenants } from '../support/suite-app.ts'

const started = useTenants()
const tracer = new Tracer({ ratio: 1, perSecond: 1, trusted: [], take: () => {} })

/** Counts how often anything looks whether it belongs to a traced request. */
function countReads(t: TestContext): () => number {
  const span = tracer.root({ name: 'a test', kind: 'internal' })
  assert.ok(span)
  const run = t.mock.method(AsyncLocalStorage.prototype, 'run')
  within(span, () => {})
  const [place] = run.mock.calls.map((call) => call.this)
  run.mock.restore()
  const reads = t.mock.method(AsyncLocalStorage.prototype, 'getStore')
  return () => reads.mock.calls.filter((call) => call.this === place).length
}

test('without a collector no statement looks up a trace, and an event does so once', async (t) => {
  const app = await started(t)
  const { endpoint } = await startCollector(t)
  const traced = await app.sibling({ MOORING_OTLP_ENDPOINT: endpoint, MOORING_TRACE_RATIO: '0' })
  const reads = countReads(t)
  const by = as.platformKey(app.seed.platformKey)
  const read = async ({ call, seed }: TestApp) => {
    const { status } = await call('GET', `/workspaces/${seed.id}/devices`, { as: by })
    assert.equal(status, 200)
  }
  const write = async ({ call, seed }: TestApp) => {
    const body = { device_key: newUuid() }
    const { status } = await call('POST', `/workspaces/${seed.id}/devices`, { as: by, body })
    assert.equal(status, 201)
  }
  // The least of several counts, since the service also reads by itself.
  const least = async (act: (app: TestApp) => Promise<void>): Promise<number> => {
    const all: number[] = []
    for (let tries = 0; tries < 5; tries += 1) {
      const before = reads()
      await act(app)
      all.push(reads() - before)
    }
    return Math.min(...all)
  }

  await read(traced)
  assert.ok(reads() > 0, 'each statement does, where a collector is configured')
  await traced.close()
  assert.equal(await least(read), 0)
  assert.equal(await least(write), 1)
})

/** The hooks that each request runs through, as Fastify itself prints them. */
async function hooksOf(t: TestContext, more: Partial<ServerOptions<object>>): Promise<string[]> {
  const connections = new HttpConnections({ connections: 1, connectionsPerAddress: 1 })
  const server = createServer({
    operations: [],
    plugins: [(app) => void app.get('/x', () => 'x')],
    trustedProxies: [],
    tls: undefined,
    connections,
    liveLimits: { perProcess: 1, perWorkspace: 1, perUser: 1 },
    origin: () => 'http://localhost',
    ...more,
  } as ServerOptions<object>)
  t.after(() => server.close())
  await server.ready()
  const text = server.printRoutes({ includeHooks: true, method: 'GET' })
  const hooks = [...text.matchAll(/• \((\w+)\) (\[.*\])/g)]
  return hooks.flatMap(([, name = '', list = '[]']) =>
    (JSON.parse(list) as string[]).map(() => name),
  )
}

test('the server has a hook for tracing and for the request log only where they are on', async (t) => {
  const off = readConfig({})
  const tracing = createTracing(off, { nodeId: 'test', version: '0', warn: () => {} })
  assert.equal(tracing.tracer, undefined)
  assert.equal(watchConnects(tracing.tracer), undefined)
  assert.equal(requestLogOf(off), undefined)

  const least = await hooksOf(t, { ...requestLogOf(off), tracer: tracing.tracer })
  const traced = await hooksOf(t, { tracer })
  assert.deepEqual(traced.toSorted(), [...least, 'onRequest', 'preValidation'].toSorted())
})
