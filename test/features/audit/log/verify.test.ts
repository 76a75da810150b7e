/** Verification over HTTP: the running service appends within moments, and says what is wrong. */
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { as, type TestApp } from '../../../support/app.ts'
import { entryAt, sql } from '../../../support/audit-chain.ts'
import { useApp } from '../../../support/suite-app.ts'
import { until } from '../../../support/until.ts'

async function chained(app: TestApp, query = '') {
  return until('the audit log is chained', async () => {
    const { status, body } = await app.call(
      'GET',
      `/workspaces/${app.seed.id}/audit-log/verify${query}`,
      { as: as.platformKey(app.seed.platformKey) },
    )
    assert.equal(status, 200)
    return body.unsealed === 0 && body
  })
}

suite('GET /workspaces/{id}/audit-log/verify', () => {
  const get = useApp()

  test('changes are chained by the service, and an alteration is named', async () => {
    const app = get()
    for (let index = 0; index < 4; index += 1) {
      await app.call('POST', `/workspaces/${app.seed.id}/api-keys`, {
        as: as.platformKey(app.seed.platformKey),
        body: { key_kind: 'provision', name: `key ${index}` },
      })
    }
    const good = await chained(app)
    assert.deepEqual([good.valid, good.sealed_to_seq, good.entries_checked], [true, 4, 4])
    const { body } = await app.call('GET', `/workspaces/${app.seed.id}/audit-log?limit=1`, {
      as: as.platformKey(app.seed.platformKey),
    })
    assert.deepEqual([body.items[0].seq, body.items[0].hash], [4, good.head_hash])

    await sql(app.database, `UPDATE audit_log SET detail = '{}' WHERE id = ${entryAt(2)}`, [
      app.seed.uuid,
    ])
    const bad = await chained(app)
    assert.deepEqual([bad.valid, bad.first_bad_seq, bad.reason], [false, 2, 'entry_altered'])
    assert.equal(bad.entries_checked, 1)
    assert.equal((await chained(app, '?from_seq=3')).valid, true)
  })

  test('one of two concurrent calls is refused, and succeeds later', async () => {
    const app = get()
    const verify = () =>
      app.call('GET', `/workspaces/${app.seed.id}/audit-log/verify`, {
        as: as.platformKey(app.seed.platformKey),
      })
    const calls = await app.database.transaction(async (trx) => {
      // Whichever comes first waits for this.
      await trx.query({ name: undefined, text: 'LOCK TABLE audit_chains' })
      const both = [verify(), verify()]
      const { status, headers, body } = await Promise.race(both)
      assert.deepEqual([status, body.code], [409, 'verification_in_progress'])
      assert.equal(headers['retry-after'], '1')
      return both
    })
    const responses = await Promise.all(calls)
    assert.deepEqual(
      responses.map(({ status }) => status).sort((a, b) => a - b),
      [200, 409],
    )
    assert.equal((await verify()).status, 200)
  })

  test('the start must be a place in the chain', async () => {
    const app = get()
    const { status } = await app.call(
      'GET',
      `/workspaces/${app.seed.id}/audit-log/verify?from_seq=0`,
      { as: as.platformKey(app.seed.platformKey) },
    )
    assert.equal(status, 400)
  })
})
