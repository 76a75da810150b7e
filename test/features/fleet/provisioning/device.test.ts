/** POST /provision/device: exactly once, and never a brick. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { newUuid } from '../../../../src/platform/lib/ids.ts'
import { as, startApp } from '../../../support/app.ts'

describe('POST /provision/device', () => {
  test('registers a device and answers with everything firmware reads', async (t) => {
    const { call, seed } = await startApp(t)
    const { status, body, text } = await call('POST', '/provision/device', {
      as: as.factory(seed.provisionKey),
      body: { workspace_id: seed.id, template_id: seed.template.id, surprise: true },
    })
    assert.equal(status, 201)
    assert.equal(body.device_key, 'S-1')
    assert.equal(body.workspace_slug, seed.slug)
    assert.equal(body.mqtt_username, body.device_id)
    assert.match(body.device_http_token, /^dht_[0-9A-Za-z]{49}$/)
    assert.equal(typeof body.mqtt_port, 'number')
    assert.equal(body.mqtt_tls, false)
    assert.ok(text.length < 8_191)
  })

  test('fifty identical registrations at once make one device and one response', async (t) => {
    const { call, seed, database } = await startApp(t)
    const results = await Promise.all(
      Array.from({ length: 50 }, () =>
        call('POST', '/provision/device', {
          as: as.factory(seed.provisionKey),
          body: { template_id: seed.template.id, hardware_id: 'aa:bb' },
        }),
      ),
    )
    assert.deepEqual([...new Set(results.map(({ status }) => status))], [201])
    assert.equal(new Set(results.map(({ text }) => text)).size, 1)
    const rows = await database.pool.query('SELECT count(*) AS n FROM devices')
    assert.equal(rows.rows[0].n, 1)
    const next = await call('POST', '/provision/device', {
      as: as.factory(seed.provisionKey),
      body: { template_id: seed.template.id, hardware_id: 'aa:cc' },
    })
    const lowest = results[0]?.body.device_key === 'S-1' ? 'S-2' : 'S-1'
    assert.equal(next.body.device_key, lowest, 'retries use no serial number')
  })

  test('many requests at once share transactions, and each has its own response and record', async (t) => {
    const { call, seed, database } = await startApp(t)
    const send = (key: string, body: object) =>
      call('POST', '/provision/device', { as: as.factory(key), body })
    const template_id = seed.template.id
    const other = { template_id: seed.other.template.id }
    assert.equal((await send(seed.provisionKey, { template_id, device_key: 'taken' })).status, 201)
    const [good, taken, broken, outsiders] = await Promise.all([
      Promise.all(
        Array.from({ length: 40 }, (_none, index) =>
          send(seed.provisionKey, { template_id, hardware_id: `hw-${index}`, name: `"${index}\\` }),
        ),
      ),
      send(seed.provisionKey, { template_id, device_key: 'taken' }),
      send(seed.provisionKey, other),
      Promise.all(Array.from({ length: 5 }, () => send(seed.other.provisionKey, other))),
    ])
    assert.equal(taken.body.code, 'device_key_taken')
    assert.equal(broken.body.code, 'template_not_found')
    const registered = [...good, ...outsiders]
    assert.deepEqual([...new Set(registered.map(({ status }) => status))], [201])
    const { rows } = await database.pool.query(
      `SELECT d.name, d.hardware_id, d.device_key, a.request_id, w.slug, d.xmin::text AS transaction,
              (SELECT count(*) FROM events e WHERE e.subject_id = d.id) AS events,
              (SELECT array_agg(s.hash ORDER BY s.kind) FROM device_secrets s
               WHERE s.device_id = d.id) AS hashes
       FROM devices d JOIN workspaces w ON w.id = d.workspace_id
       JOIN audit_log a ON a.detail->>'device_key' = d.device_key AND a.workspace_id = w.id
       WHERE d.device_key <> 'taken'`,
    )
    assert.equal(rows.length, registered.length)
    const received = new Map(
      registered.map((response) => [response.headers['x-request-id'], response.body]),
    )
    for (const row of rows) {
      const body = received.get(row.request_id)
      assert.deepEqual([body?.device_key, body?.workspace_slug], [row.device_key, row.slug])
      assert.equal(row.events, 1)
      assert.equal(row.hashes.length, 2)
    }
    const named = rows.filter((row) => row.hardware_id !== null)
    assert.deepEqual(
      Object.fromEntries(named.map((row) => [row.hardware_id, row.name])),
      Object.fromEntries(good.map((_none, index) => [`hw-${index}`, `"${index}\\`])),
    )
    for (const { body } of registered.slice(0, 3)) {
      const known = await call('GET', '/devices/auth/me', { as: as.device(body.device_http_token) })
      assert.equal(known.body.id ?? known.body.device_id, body.device_id, known.text)
    }
    const transactions = new Set(rows.map((row) => row.transaction)).size
    assert.ok(transactions < rows.length, `${transactions} transactions`)
  })

  test('a request that waits too long for another transaction fails none that share its statement', async (t) => {
    const timeouts = { statementTimeoutMs: 3_000, acquireTimeoutMs: 30_000 }
    const { call, seed, database } = await startApp(t, { timeouts })
    const holder = await database.connect()
    t.after(() => holder.end())
    await holder.query('BEGIN')
    await holder.query(
      `INSERT INTO devices (workspace_id, id, device_key, name, hardware_id)
       VALUES ($1, $2, 'held', 'Held', 'hw-20')`,
      [seed.uuid, newUuid()],
    )
    const sent = Array.from({ length: 40 }, (_none, index) =>
      call('POST', '/provision/device', {
        as: as.factory(seed.provisionKey),
        body: { template_id: seed.template.id, hardware_id: `hw-${index}` },
      }),
    )
    const stuck = sent.splice(20, 1)
    const statuses = (await Promise.all(sent)).map(({ status }) => status)
    assert.deepEqual([...new Set(statuses)], [201])
    await holder.query('ROLLBACK')
    await Promise.all(stuck)
  })
})
