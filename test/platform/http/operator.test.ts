/** The pages of the operator's listener: whether the service is ready, and its metrics. */
import assert from 'node:assert/strict'
import { Agent, get, type IncomingMessage } from 'node:http'
import { once } from 'node:events'
import { describe, test } from 'node:test'
import { createOperatorServer, registryOf } from '../../../src/platform/http/operator.ts'
import { sendRaw } from '../../support/raw-http.ts'
import { useApp } from '../../support/suite-app.ts'

describe('the listener of the operator', () => {
  const started = useApp()
  const operator = (path: string): Promise<Response> =>
    fetch(`http://127.0.0.1:${started().app.ports.operator}${path}`)
  const metrics = async (): Promise<string> => (await operator('/metrics')).text()

  async function ask(agent: Agent): Promise<IncomingMessage> {
    const { http: port } = started().app.ports
    const [response] = (await once(
      get({ agent, host: '127.0.0.1', port, path: '/api/v1/nothing' }),
      'response',
    )) as [IncomingMessage]
    response.resume()
    await once(response, 'end')
    return response
  }

  test('counts responses by their class, lines of the log, connections and tasks', async () => {
    const count = /^mooring_http_request_duration_seconds_count\{status="4xx"\} (\d+)$/m
    const before = Number(count.exec(await metrics())?.[1] ?? 0)
    await ask(new Agent())
    const text = await metrics()
    assert.equal(Number(count.exec(text)?.[1]), before + 1)
    assert.match(text, /^# TYPE mooring_usage_messages_total counter$/m)
    assert.match(text, /^mooring_http_problems_total\{code="not_found"\} [1-9]/m)
    assert.match(text, /^mooring_ready 1$/m)
    assert.match(text, /^mooring_log_lines_total\{level="error"\} 0$/m)
    assert.match(text, /^mooring_clock_offset_seconds -?\d/m)
    assert.match(text, /^mooring_audit_log_entries \d+$/m)
    assert.match(text, /^mooring_audit_log_bytes \d+$/m)
    assert.match(text, /^mooring_embedded_postgres_restarts_total 0$/m)
    for (const state of ['busy', 'idle', 'waiting']) {
      assert.match(
        text,
        new RegExp(`^mooring_database_connections\\{state="${state}"\\} \\d+$`, 'm'),
      )
    }
    for (const state of ['running', 'late', 'failed']) {
      assert.match(text, new RegExp(`^mooring_background_tasks\\{state="${state}"\\} \\d+$`, 'm'))
    }
  })

  test('an unknown path gets the list of paths', async () => {
    const result = await operator('/nothing?token=secret')
    assert.equal(result.status, 404)
    assert.match(result.headers.get('content-type') ?? '', /^application\/problem\+json/)
    const { code, detail, instance } = (await result.json()) as Record<string, string>
    assert.deepEqual([code, instance], ['not_found', '/nothing'])
    assert.match(detail ?? '', /\/readyz, \/healthz, \/status, \/metrics and \/outbox/)
  })

  test('a large body is refused before it is there, whatever it is sent to', async () => {
    const { operator: port } = started().app.ports
    const headers = 'Host: x\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n'
    for (const path of ['/none', '/hooks/emqx/none']) {
      const { status } = await sendRaw(port, `POST ${path} HTTP/1.1\r\n${headers}\r\n{`)
      assert.equal(status, 413, path)
    }
  })

  test('a service that is about to stop answers on the connections that it has, and is not ready', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const kept = await ask(agent)
    assert.equal(kept.headers.connection, 'keep-alive')
    started().app.retire()
    const last = await ask(agent)
    assert.equal(last.statusCode, 404)
    assert.equal(last.headers.connection, 'close')
    await assert.rejects(ask(new Agent()), { code: 'ECONNREFUSED' })
    const ready = await operator('/readyz')
    assert.equal(ready.status, 503)
    const said = (await ready.json()) as { problems: string[] }
    assert.deepEqual(said.problems, ['the service is stopping'])
    assert.equal((await operator('/healthz')).status, 200)
    agent.destroy()
  })
})

const QUIET = {
  problems: () => [],
  status: () => Promise.resolve({}),
  bridges: () => ({}),
  registry: registryOf({ gauges: {}, counters: {}, others: [] }),
  localPages: [],
  front: () => false,
}

test('pages for this machine are given to nobody else, and are not made for others', async (t) => {
  let made = 0
  const page = (): Promise<object> => {
    made += 1
    return Promise.resolve({ secret: true })
  }
  const operator = createOperatorServer({
    ...QUIET,
    status: page,
    localPages: [{ name: 'outbox', respond: page }],
  })
  t.after(() => operator.close())
  const paths = ['/status', '/outbox']
  const ask = async (host: string, remoteAddress: string): Promise<[number, string][]> =>
    Promise.all(
      paths.map(async (url) => {
        const { statusCode, body } = await operator.inject({
          url,
          headers: { host },
          remoteAddress,
        })
        return [statusCode, body] as [number, string]
      }),
    )
  const refused = [
    ['evil.example', '127.0.0.1'],
    ['localhost.evil.example:8081', '127.0.0.1'],
    ['localhost', '192.0.2.1'],
    ['127.0.0.1:8081', '::ffff:192.0.2.1'],
  ] as const
  for (const [host, address] of refused) {
    for (const [status, body] of await ask(host, address)) {
      assert.equal(status, 404, `${host} ${address}`)
      assert.doesNotMatch(body, /secret/)
    }
  }
  assert.equal(made, 0)
  for (const [host, address] of [
    ['localhost:8081', '127.0.0.1'],
    ['[::1]:8081', '::1'],
    ['127.0.0.1', '::ffff:127.0.0.1'],
  ] as const) {
    for (const [status] of await ask(host, address)) assert.equal(status, 200, `${host} ${address}`)
  }
  assert.equal(made, 6)
})

test('a gauge omits a broker whose bridge another process holds now', async (t) => {
  const held: Record<string, number> = { near: 1, far: 0 }
  const operator = createOperatorServer({
    ...QUIET,
    registry: registryOf({
      gauges: { bridge_connected: { help: 'By broker.', label: 'broker', values: () => held } },
      counters: {},
      others: [],
    }),
  })
  t.after(() => operator.close())
  const lines = async (): Promise<string[]> =>
    (await operator.inject('/metrics')).body
      .split('\n')
      .filter((line) => line.startsWith('bridge_'))
  assert.deepEqual(await lines(), [
    'bridge_connected{broker="near"} 1',
    'bridge_connected{broker="far"} 0',
  ])
  delete held.far
  assert.deepEqual(await lines(), ['bridge_connected{broker="near"} 1'])
})
