/** The request log: which requests have a line, and what is in it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { as, type TestApp } from '../support/app.ts'
import { useTenants } from '../support/suite-app.ts'
import { watchStderr } from '../support/stderr.ts'
import { until } from '../support/until.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const traceparent = `00-${TRACE}-00f067aa0ba902b7-01`
const started = useTenants()

interface Line {
  message: string
  request_id: string
  [field: string]: unknown
}

/** Lines about requests, with what is before their JSON. */
const requestsIn = (lines: string[]): [before: string, line: Line][] =>
  lines
    .map((line) => /^([^{]*)(\{.*\})$/.exec(line) ?? [])
    .map(([, before = '', text = '{}']): [string, Line] => [before, JSON.parse(text) as Line])
    .filter(([, { message }]) => message === 'request')

/** One request that succeeds and one that is refused; each has a query that may be a secret. */
async function ask({ call, seed }: TestApp) {
  const options = { as: as.platformKey(seed.platformKey), headers: { traceparent } }
  const good = await call('GET', `/workspaces/${seed.id}/devices?q=hush`, options)
  const bad = await call('GET', `/workspaces/${seed.id}/devices/none?q=hush`, options)
  assert.deepEqual([good.status, bad.status], [200, 404])
  return { good: good.headers['x-request-id'], bad: bad.headers['x-request-id'] }
}

test('with `all` each request is a line that names it, without query and credential', async (t) => {
  const app = await started(t)
  const lines = watchStderr(t)
  const environment = { MOORING_REQUEST_LOG: 'all', MOORING_LOG_PRIORITY: 'on' }
  const ids = await ask(await app.sibling(environment))
  await until('both lines', () => requestsIn(lines()).length === 2)
  const [[before, good], [, bad]] = requestsIn(lines()) as [[string, Line], [string, Line]]
  const { time, duration_ms: duration, ...fields } = good
  assert.ok(Number.isInteger(duration), String(duration))
  assert.ok(!Number.isNaN(Date.parse(String(time))))
  assert.deepEqual(fields, {
    level: 'info',
    message: 'request',
    method: 'GET',
    path: `/api/v1/workspaces/${app.seed.id}/devices`,
    status: 200,
    request_id: ids.good,
    trace_id: TRACE,
    address: '127.0.0.1',
    caller_kind: 'platform-key',
    workspace_id: app.seed.uuid,
  })
  assert.equal(before, '<6>', 'of syslog: informational')
  assert.deepEqual([bad.request_id, bad.status], [ids.bad, 404])
  const text = lines().join('\n')
  for (const secret of ['hush', app.seed.platformKey]) assert.ok(!text.includes(secret), secret)
})

test('with `failed` only refused requests have a line, and by default none has', async (t) => {
  const app = await started(t)
  const lines = watchStderr(t)
  await ask(app)
  const { bad } = await ask(await app.sibling({ MOORING_REQUEST_LOG: 'failed' }))
  // It was the last of four requests.
  await until('its line', () => requestsIn(lines()).some(([, line]) => line.request_id === bad))
  assert.equal(requestsIn(lines()).length, 1)
})
