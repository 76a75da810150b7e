/** POST /provision/device: exactly once, and never a brick. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { as, startApp } from '../../support/app.ts'

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

  test('fifty identical registrations at once make one device and one answer', async (t) => {
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
    assert.equal(next.body.device_key, lowest, 'retries burn no serial number')
  })
})
