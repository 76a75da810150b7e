/**
 * The trace of one provisioning request: its statements and their commit, the webhook that
 * followed, and what other programs get of it.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectAsync } from 'mqtt'
import { as, callUrl } from '../support/app.ts'
import { type CollectedSpan, startCollector } from '../support/collector.ts'
import { startApp } from '../support/app.ts'
import { until } from '../support/until.ts'
import { startReceiver, toReceivers, webhooksOf } from '../support/webhook-receiver.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const SPAN = '00f067aa0ba902b7'
const traceparent = `00-${TRACE}-${SPAN}-01`

test('a provisioning request is one trace from HTTP to the webhook', async (t) => {
  const collector = await startCollector(t)
  const app = await startApp(t, {
    environment: {
      ...toReceivers,
      MOORING_OTLP_ENDPOINT: collector.endpoint,
      MOORING_TRACE_RATIO: '0',
      MOORING_TRACE_CALLERS: '127.0.0.1',
    },
  })
  const receiver = await startReceiver(t, () => 204)
  await webhooksOf(app).make({ url: receiver.url, types: ['device.registered'] })

  const body = { template_id: app.seed.template.id, hardware_id: 'traced' }
  const made = await app.call('POST', '/provision/device', {
    as: as.factory(app.seed.provisionKey),
    headers: { traceparent },
    body,
  })
  assert.equal(made.status, 201)
  await until('the webhook', () => receiver.got.length > 0)
  await until('its span', () => collector.spans.some(({ name }) => name === 'webhook delivery'))

  const spans = collector.spans
  const named = (name: string): CollectedSpan => {
    const found = spans.filter((span) => span.name === name)
    assert.equal(found.length, 1, `${name} among ${spans.map((span) => span.name).join(', ')}`)
    return found[0] as CollectedSpan
  }
  const request = named('POST /api/v1/provision/device')
  const statement = named('provisioning.register')
  const delivery = named('webhook delivery')
  assert.deepEqual(new Set(spans.map(({ traceId }) => traceId)), new Set([TRACE]))
  assert.equal(request.parentSpanId, SPAN)
  assert.equal(request.attributes['http.response.status_code'], 201)
  assert.equal(request.attributes['mooring.request_id'], made.headers['x-request-id'])
  // One statement that commits by itself, within the request; then the delivery.
  assert.equal(statement.parentSpanId, request.spanId)
  assert.ok(statement.start >= request.start && statement.end <= request.end)
  assert.equal(delivery.parentSpanId, request.spanId)
  assert.ok(delivery.start >= statement.end)
  assert.equal(delivery.attributes['http.response.status_code'], 204)
  // The receiver may continue the trace.
  assert.equal(receiver.got[0]?.headers.traceparent, `00-${TRACE}-${delivery.spanId}-01`)
  assert.equal(collector.resource()['service.name'], 'mooring')
})

test('transactions show their commit, CONNECTs their decision, refusals their code', async (t) => {
  const collector = await startCollector(t)
  const app = await startApp(t, {
    environment: { MOORING_OTLP_ENDPOINT: collector.endpoint, MOORING_TRACE_RATIO: '1' },
  })
  const { call, seed, app: running } = app
  const by = { as: as.platformKey(seed.platformKey), headers: { traceparent } }
  const made = await call('POST', `/workspaces/${seed.id}/device-groups`, {
    ...by,
    body: { name: 'Traced' },
  })
  assert.equal(made.status, 201)
  const refused = await call('POST', `/workspaces/${seed.id}/device-groups`, {
    ...by,
    body: { name: 7 },
  })
  assert.equal(refused.body.trace_id, TRACE)
  const denied = connectAsync(`mqtt://127.0.0.1:${running.ports.mqtt}`, {
    username: 'dev_nobody',
    password: 'wrong',
    reconnectPeriod: 0,
  })
  await assert.rejects(denied)
  const find = (name: string, matches: (span: CollectedSpan) => boolean = () => true) =>
    collector.spans.find((span) => span.name === name && matches(span))
  await until('the CONNECT', () => find('MQTT CONNECT') !== undefined)
  await until(
    'both requests',
    () => find('POST /api/v1/workspaces/:id/device-groups', isRefused) !== undefined,
  )

  const commit = find('COMMIT', ({ traceId }) => traceId === TRACE)
  const transaction = collector.spans.find(({ spanId }) => spanId === commit?.parentSpanId)
  assert.equal(transaction?.name, 'transaction')
  const request = collector.spans.find(({ spanId }) => spanId === transaction?.parentSpanId)
  assert.equal(request?.name, 'POST /api/v1/workspaces/:id/device-groups')
  // The flag of a caller that is not listed was ignored, and so was its span.
  assert.equal(request?.parentSpanId, undefined)
  assert.equal(find('MQTT CONNECT')?.attributes['mooring.connect.outcome'], 'bad_credentials')
})

const isRefused = ({ attributes }: CollectedSpan): boolean =>
  attributes['mooring.problem'] === 'invalid_request'

test('without a collector nothing is recorded with events and sent to receivers', async (t) => {
  const app = await startApp(t, { environment: toReceivers })
  const receiver = await startReceiver(t, () => 204)
  await webhooksOf(app).make({ url: receiver.url, types: ['device.registered'] })
  await callUrl(`${app.url}/provision/device`, 'POST', {
    as: as.factory(app.seed.provisionKey),
    headers: { traceparent },
    body: { template_id: app.seed.template.id, hardware_id: 'untraced' },
  })
  await until('the webhook', () => receiver.got.length > 0)
  assert.equal(receiver.got[0]?.headers.traceparent, undefined)
  const { rows } = await app.database.pool.query('SELECT FROM events WHERE traceparent IS NOT NULL')
  assert.equal(rows.length, 0)
})
