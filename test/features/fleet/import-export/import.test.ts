/** POST …/devices/import: files of devices, each row with its own result, safe to send again. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { formatId, newUuid } from '../../../../src/platform/lib/ids.ts'
import { as, type TestApp } from '../../../support/app.ts'
import { tryConnect } from '../../../support/mqtt.ts'
import { useTenants } from '../../../support/suite-app.ts'
import { importRows, type Result, sendFile, tally } from '../../../support/transfers.ts'

const freshTenants = useTenants()

const get = async (app: TestApp, id: string | undefined) => {
  const path = `/workspaces/${app.seed.id}/devices/${id}`
  return (await app.call('GET', path, { as: as.platformKey(app.seed.platformKey) })).body
}

async function countOf(app: TestApp, table: string, where = 'true'): Promise<number> {
  const { rows } = await app.database.pool.query<{ n: number }>(
    `SELECT count(*)::int AS n FROM ${table} WHERE workspace_id = $1 AND ${where}`,
    [app.seed.uuid],
  )
  return rows[0]?.n ?? 0
}

const fleet = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    device_key: `K-${index}`,
    hardware_id: `hw-${index}`,
    name: `Device ${index}`,
    model_key: 'sensor',
    tags: { floor: String(index % 7), site: 'north' },
  }))

const received = (results: readonly Result[]) =>
  results.map(({ line, status, code }) => [line, code ?? status])

describe('POST …/devices/import', () => {
  test('each row makes one device, in order, and sent again it changes nothing', async (t) => {
    const app = await freshTenants(t)
    const rows = fleet(4_500)
    const first = await importRows(app, rows)
    assert.deepEqual(
      first.map(({ line }) => line),
      rows.map((_, index) => index + 1),
    )
    assert.deepEqual(tally(first), { created: 4_500 })
    const again = await importRows(app, rows)
    assert.deepEqual(tally(again), { unchanged: 4_500 })
    assert.deepEqual(
      again.map((row) => row.device_id),
      first.map((row) => row.device_id),
    )
    assert.equal(await countOf(app, 'devices'), 4_500)
    assert.equal(await countOf(app, 'events'), 4_500)
    assert.equal(await countOf(app, 'audit_log'), 4_500)
    assert.equal(await countOf(app, 'device_secrets'), 0)
    const device = await get(app, first[8]?.device_id)
    assert.equal(device.device_key, 'K-8')
    assert.equal(device.hardware_id, 'hw-8')
    assert.equal(device.template_id, app.seed.template.id)
    assert.deepEqual(device.tags, { floor: '1', site: 'north' })
  })

  test('differing members are changed as by PATCH, and audited with before and after', async (t) => {
    const app = await freshTenants(t)
    const config = { interval: 5, list: [{ long: 1, b: 2 }] }
    const row = { device_key: 'A', tags: { floor: '1', old: 'x' }, config, model_key: 'sensor' }
    const [made] = await importRows(app, [row])
    assert.deepEqual(received(await importRows(app, [row])), [[1, 'unchanged']])
    const change = {
      device_key: 'A',
      name: 'New',
      tags: { floor: '2', old: null },
      config: { x: 1 },
    }
    assert.deepEqual(received(await importRows(app, [change])), [[1, 'updated']])
    const device = await get(app, made?.device_id)
    assert.equal(device.name, 'New')
    assert.deepEqual(device.tags, { floor: '2' })
    assert.deepEqual(device.config, { ...config, x: 1 })
    assert.equal(device.template_id, app.seed.template.id, 'omitted members keep their values')
    const { rows } = await app.database.pool.query(
      `SELECT detail FROM audit_log WHERE workspace_id = $1 AND action = 'device.updated'`,
      [app.seed.uuid],
    )
    assert.deepEqual(rows[0].detail.before.tags, { floor: '1', old: 'x' })
    assert.deepEqual(rows[0].detail.after.tags, { floor: '2' })
    assert.deepEqual(rows[0].detail.changed, ['name', 'tags', 'config'])
    await importRows(app, [{ device_key: 'A', template_id: null }])
    assert.equal((await get(app, made?.device_id)).template_id, null)
  })

  test('devices are found by their labels, whether an import or a single request made them', async (t) => {
    const app = await freshTenants(t)
    const workspace = `/workspaces/${app.seed.id}`
    const user = as.platformKey(app.seed.platformKey)
    for (const [name, type] of Object.entries({ battery: 'number', 'of.text': 'string' })) {
      const field = { name, type }
      const defined = await app.call('POST', `${workspace}/custom-fields`, {
        as: user,
        body: field,
      })
      assert.equal(defined.status, 201, defined.text)
    }
    const fields = { name: 'Hall sensor', tags: { site: 'north', odd: 'a "b" \\c,{}' } }
    const rows = Array.from({ length: 30 }, (_, index) => ({
      device_key: `K-${index}`,
      ...(index % 2 === 0 && fields),
      ...(index % 3 === 0 && { custom_fields: { battery: index, 'of.text': 'x' } }),
    }))
    await importRows(app, rows)
    const made = await app.call('POST', `${workspace}/devices`, {
      as: user,
      body: { device_key: 'single', ...fields, custom_fields: { battery: 0 } },
    })
    assert.equal(made.status, 201, made.text)
    await importRows(app, [{ device_key: 'K-0', tags: { site: 'south' } }, { device_key: 'K-1' }])
    assert.ok((await countOf(app, 'device_labels')) > 30 * 2)
    const { rows: wrong } = await app.database.pool.query(
      `SELECT * FROM (
         SELECT d.id, l.label
         FROM devices d, device_label_texts(d.device_key, d.name, d.tags, d.custom_fields) AS l (label)
         WHERE d.workspace_id = $1
       ) AS due FULL JOIN (SELECT device_id AS id, label FROM device_labels WHERE workspace_id = $1)
         AS there USING (id, label)
       WHERE due IS NULL OR there IS NULL`,
      [app.seed.uuid],
    )
    assert.deepEqual(wrong, [])
    const filter = encodeURIComponent('tags.site = north AND name:sensor')
    const found = await app.call('GET', `${workspace}/devices?filter=${filter}&limit=100`, {
      as: user,
    })
    assert.equal(found.body.items?.length, 15, found.text)
  })

  test('create changes no device, and update makes none', async (t) => {
    const app = await freshTenants(t)
    await importRows(app, [{ device_key: 'A', name: 'One' }])
    const rows = [{ device_key: 'A', name: 'Two' }, { device_key: 'B' }]
    const create = await importRows(app, rows, { query: '?mode=create' })
    assert.deepEqual(received(create), [
      [1, 'device_key_taken'],
      [2, 'created'],
    ])
    const same = await importRows(app, [{ device_key: 'A', name: 'One' }], {
      query: '?mode=create',
    })
    assert.deepEqual(received(same), [[1, 'unchanged']])
    const update = await importRows(app, [rows[0] as object, { device_key: 'C' }], {
      query: '?mode=update',
    })
    assert.deepEqual(received(update), [
      [1, 'updated'],
      [2, 'device_not_found'],
    ])
  })

  test('a dry run answers the same and writes nothing', async (t) => {
    const app = await freshTenants(t)
    await importRows(app, [{ device_key: 'A' }, { device_key: 'B' }])
    const rows = [{ device_key: 'A' }, { device_key: 'B', name: 'B2' }, { device_key: 'C' }, {}]
    const dry = await importRows(app, rows, { query: '?dry_run=true&credentials=true' })
    assert.equal(await countOf(app, 'devices'), 2)
    assert.equal(await countOf(app, 'audit_log'), 2)
    assert.equal(await countOf(app, 'device_secrets'), 0)
    assert.deepEqual(received(dry), received(await importRows(app, rows)))
  })

  test('an invalid row fails alone', async (t) => {
    const app = await freshTenants(t)
    const results = await importRows(app, [
      { device_key: 'A', hardware_id: 'h1' },
      '{"device_key": ',
      { device_key: 7 },
      '',
      { device_key: 'A', name: 'once more' },
      { hardware_id: 'h1' },
      { device_key: 'B', template_id: app.seed.other.template.id },
      { device_key: 'C', model_key: 'unknown' },
      { name: 'nobody' },
      { hardware_id: 'h2' },
      { device_key: 'D', surprise: 1 },
      { device_key: 'E', tags: { floor: 'x'.repeat(300) } },
      { device_key: 'F', config: { x: 'x'.repeat(33_000) } },
      `{"device_key":"G","name":"${'x'.repeat(70_000)}"}`,
      { device_key: 'H' },
      { device_key: formatId('mqp', newUuid()) },
    ])
    assert.deepEqual(received(results), [
      [1, 'created'],
      [2, 'malformed_json'],
      [3, 'invalid_request'],
      [5, 'invalid_request'],
      [6, 'invalid_request'],
      [7, 'invalid_request'],
      [8, 'invalid_request'],
      [9, 'invalid_request'],
      [10, 'invalid_request'],
      [11, 'invalid_request'],
      [12, 'invalid_request'],
      [13, 'invalid_request'],
      [14, 'payload_too_large'],
      [15, 'created'],
      [16, 'invalid_request'],
    ])
    assert.equal(results[3]?.message, '/device_key stands in line 1 already.')
    assert.equal(results[5]?.errors?.[0]?.pointer, '/template_id')
    assert.equal(results[6]?.errors?.[0]?.pointer, '/model_key')
    assert.equal(await countOf(app, 'devices'), 2)
  })

  test('a row that fits two devices, or half of one, is refused', async (t) => {
    const app = await freshTenants(t)
    await importRows(app, [{ device_key: 'A', hardware_id: 'h1' }, { device_key: 'B' }])
    const results = await importRows(app, [
      { device_key: 'A', hardware_id: 'other' },
      { device_key: 'B', hardware_id: 'h1' },
    ])
    assert.deepEqual(received(results), [
      [1, 'device_key_taken'],
      [2, 'hardware_id_taken'],
    ])
    const strange = await importRows(app, [{ device_key: 'C', hardware_id: 'h1' }])
    assert.deepEqual(received(strange), [[1, 'hardware_id_taken']])
    const given = await importRows(app, [{ device_key: 'B', hardware_id: 'h2' }])
    assert.deepEqual(received(given), [[1, 'updated']], 'a device without a hardware id takes it')
    assert.deepEqual(received(await importRows(app, [{ hardware_id: 'h2' }])), [[1, 'unchanged']])
  })

  test('a row that names the device of an earlier row otherwise is refused', async (t) => {
    const app = await freshTenants(t)
    const [made] = await importRows(app, [{ device_key: 'A', hardware_id: 'h1' }])
    const rows = [
      { device_key: 'A', tags: { floor: '1' } },
      { hardware_id: 'h1', tags: { site: 'north' } },
    ]
    for (const query of ['?dry_run=true', '']) {
      assert.deepEqual(received(await importRows(app, rows, { query })), [
        [1, 'updated'],
        [2, 'invalid_request'],
      ])
    }
    const both = await importRows(app, [{ hardware_id: 'h1' }, { device_key: 'A', name: 'x' }])
    assert.deepEqual(received(both), [
      [1, 'unchanged'],
      [2, 'invalid_request'],
    ])
    assert.equal(both[1]?.message, '/device_key names the same device as line 1.')
    assert.deepEqual((await get(app, made?.device_id)).tags, { floor: '1' })
  })

  test('however far apart rows for one device are, the later one names the earlier', async (t) => {
    const app = await freshTenants(t)
    await importRows(app, [{ device_key: 'A', hardware_id: 'h1' }, { device_key: 'B' }])
    const between = Array.from({ length: 4_995 }, () => ({}))
    const named = [
      { device_key: 'A', name: 'One' },
      { device_key: 'B', hardware_id: 'h2' },
    ]
    const again = [{ hardware_id: 'h1' }, { device_key: 'B' }, { hardware_id: 'h2' }]
    const results = await importRows(app, [...named, ...between, ...again])
    assert.deepEqual(received(results.slice(0, 2)), [
      [1, 'updated'],
      [2, 'updated'],
    ])
    assert.deepEqual(
      results.slice(-3).map(({ line, message }) => [line, message]),
      [
        [4_998, '/hardware_id names the same device as line 1.'],
        [4_999, '/device_key stands in line 2 already.'],
        [5_000, '/hardware_id stands in line 2 already.'],
      ],
    )
  })

  test('without a key the template makes it, once for each hardware id', async (t) => {
    const app = await freshTenants(t)
    const rows = [1, 2, 3].map((n) => ({ hardware_id: `h${n}`, model_key: 'sensor' }))
    const first = await importRows(app, rows)
    assert.deepEqual(
      first.map((row) => row.device_key),
      ['S-1', 'S-2', 'S-3'],
    )
    assert.deepEqual(tally(await importRows(app, rows)), { unchanged: 3 })
    // Somebody has taken the next number manually.
    await importRows(app, [{ device_key: 'S-4' }])
    const [next] = await importRows(app, [{ hardware_id: 'h4', template_id: app.seed.template.id }])
    assert.equal(next?.device_key, 'S-5')
  })

  test('secrets are made only when they are asked for, and only where there are none', async (t) => {
    const app = await freshTenants(t)
    const rows = [{ device_key: 'A', hardware_id: 'h1', model_key: 'sensor' }, { device_key: 'B' }]
    const [plain] = await importRows(app, rows.slice(0, 1))
    assert.equal(plain?.mqtt_credentials, undefined)
    const login = {
      device_id: String(plain?.device_id),
      mqtt_password: 'mqp_guess',
      mqtt_port: app.app.ports.mqtt,
    }
    assert.notEqual((await tryConnect(t, login)).code, 0, 'a device without a secret is refused')
    const given = await importRows(app, rows, { query: '?credentials=true' })
    assert.deepEqual(tally(given), { unchanged: 1, created: 1 })
    for (const row of given) {
      const password = row.mqtt_credentials?.password as string
      const outcome = await tryConnect(t, {
        ...login,
        device_id: String(row.device_id),
        mqtt_password: password,
      })
      assert.equal(outcome.code, 0, `${row.device_key} connects`)
    }
    const again = await importRows(app, rows, { query: '?credentials=true' })
    assert.ok(
      again.every((row) => row.mqtt_credentials === undefined && row.status === 'unchanged'),
    )
    assert.equal(await countOf(app, 'device_secrets'), 4)
    assert.equal(await countOf(app, 'events', `type = 'device.credentials_reset'`), 1)
  })

  test('a device without secrets gets its first ones from the factory', async (t) => {
    const app = await freshTenants(t)
    const [made] = await importRows(app, [
      { device_key: 'A', hardware_id: 'h1', model_key: 'sensor' },
    ])
    const response = await app.call('POST', '/provision/device', {
      as: as.factory(app.seed.provisionKey),
      body: { template_id: app.seed.template.id, hardware_id: 'h1' },
    })
    assert.equal(response.body.device_id, made?.device_id)
    assert.equal((await tryConnect(t, response.body)).code, 0)
  })

  test('two imports of the same devices at once make each device once', async (t) => {
    const app = await freshTenants(t)
    const rows = fleet(1_010)
    const both = await Promise.all([
      importRows(app, rows),
      importRows(app, rows.toReversed()),
      importRows(app, rows),
    ])
    assert.deepEqual(tally(both.flat()), { created: 1_010, unchanged: 2_020 })
    assert.equal(await countOf(app, 'devices'), 1_010)
    assert.equal(await countOf(app, 'events'), 1_010)
  })

  test('a body that is neither NDJSON nor CSV is refused', async (t) => {
    const app = await freshTenants(t)
    const response = await sendFile(app, '{}', { type: 'application/json' })
    assert.equal(response.status, 415)
    assert.match(response.text, /must be application\/x-ndjson or text\/csv by its Content-Type/)
  })
})
