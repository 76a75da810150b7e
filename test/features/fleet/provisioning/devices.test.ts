/** POST /provision/devices: a stream of rows, each with its own result. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { formatId, newUuid } from '../../../../src/platform/lib/ids.ts'
import { as, startApp, type TestApp } from '../../../support/app.ts'
import { useTenants } from '../../../support/suite-app.ts'

const freshTenants = useTenants()

interface Result {
  line: number
  status: number
  code?: string
  device_id?: string
  device_key?: string
  mqtt_password?: string
}

async function send(
  { call, seed }: TestApp,
  lines: readonly (string | object)[],
): Promise<Result[]> {
  const body = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)))
  const response = await call('POST', '/provision/devices', {
    as: as.factory(seed.provisionKey),
    headers: { 'content-type': 'application/x-ndjson' },
    body: `${body.join('\n')}\n`,
  })
  assert.equal(response.status, 200)
  return response.text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Result)
}

describe('POST /provision/devices', () => {
  test('registers every row once, in order, however often the stream is sent', async (t) => {
    const app = await freshTenants(t)
    const rows = Array.from({ length: 3_000 }, (_, index) => ({
      template_id: app.seed.template.id,
      hardware_id: `hw-${index}`,
    }))
    const first = await send(app, rows)
    assert.deepEqual(
      first.map(({ line }) => line),
      rows.map((_, index) => index + 1),
    )
    assert.ok(first.every(({ status }) => status === 201))
    assert.equal(new Set(first.map((row) => row.device_key)).size, 3_000)
    const again = await send(app, rows.slice(0, 300))
    assert.deepEqual(again, first.slice(0, 300), 'the first response is returned again')
    const { rows: counted } = await app.database.pool.query(
      `SELECT (SELECT count(*) FROM devices) AS devices,
              (SELECT count(*) FROM device_secrets) AS secrets,
              (SELECT count(*) FROM events WHERE type = 'device.registered') AS events,
              (SELECT count(*) FROM audit_log WHERE action = 'device.registered') AS entries`,
    )
    assert.deepEqual(counted[0], { devices: 3_000, secrets: 6_000, events: 3_000, entries: 3_000 })
  })

  test('an invalid row fails alone', async (t) => {
    const app = await freshTenants(t)
    const good = { template_id: app.seed.template.id }
    const results = await send(app, [
      { ...good, hardware_id: 'a' },
      '{"template_id": ',
      { ...good, hardware_id: 7 },
      '',
      { ...good, hardware_id: 'a' },
      { template_id: app.seed.other.template.id },
      { device_key: 'K-1' },
      { device_key: 'K-1' },
      {},
      `{"name":"${'x'.repeat(20_000)}"}`,
      { ...good, hardware_id: 'b' },
      { device_key: formatId('dev', newUuid()) },
    ])
    assert.deepEqual(
      results.map(({ line, status, code }) => [line, status, code]),
      [
        [1, 201, undefined],
        [2, 400, 'malformed_json'],
        [3, 400, 'invalid_request'],
        [5, 201, undefined],
        [6, 404, 'template_not_found'],
        [7, 201, undefined],
        [8, 409, 'device_key_taken'],
        [9, 400, 'invalid_request'],
        [10, 413, 'payload_too_large'],
        [11, 201, undefined],
        [12, 400, 'invalid_request'],
      ],
    )
    assert.equal(
      results[3]?.mqtt_password,
      results[0]?.mqtt_password,
      'rows 1 and 5 are one device',
    )
    const [next] = await send(app, [good])
    const keys = [results[0], results.at(-2), next].map((row) => String(row?.device_key)).sort()
    assert.deepEqual(keys, ['S-1', 'S-2', 'S-3'], 'no serial number is lost')
  })

  test('two streams of the same devices at once make each device once', async (t) => {
    const app = await startApp(t)
    const other = await app.sibling()
    const rows = Array.from({ length: 1_500 }, (_, index) => ({
      template_id: app.seed.template.id,
      hardware_id: `hw-${index}`,
    }))
    const [one, two] = await Promise.all([send(app, rows), send(other, rows)])
    assert.deepEqual(one, two)
    assert.ok(one.every(({ status }) => status === 201))
    const { rows: counted } = await app.database.pool.query('SELECT count(*) AS n FROM devices')
    assert.equal(counted[0].n, 1_500)
  })

  test('JSON is refused with 415, before it is read', async (t) => {
    const { call, seed } = await freshTenants(t)
    const response = await call('POST', '/provision/devices', {
      as: as.factory(seed.provisionKey),
      body: { template_id: seed.template.id },
    })
    assert.equal(response.status, 415)
    assert.match(response.body.detail, /must be application\/x-ndjson by its Content-Type/)
    const other = await call('POST', '/provision/device', {
      as: as.factory(seed.provisionKey),
      headers: { 'content-type': 'application/x-ndjson' },
      body: '{}',
    })
    assert.equal(other.status, 415)
    assert.match(other.body.detail, /must be application\/json by its Content-Type/)
  })
})
