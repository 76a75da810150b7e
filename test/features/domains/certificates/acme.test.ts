/** Certificates that are ordered from a real ACME server, and renewed before their time is over. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { as, type TestApp } from '../../../support/app.ts'
import {
  addDomain,
  fingerprintAt,
  type TestDomain,
  tlsEnvironment,
  tlsPortsOf,
} from '../../../support/domain-tls.ts'
import { type NameServer, startNameServer } from '../../../support/name-server.ts'
import { startPebble, withoutPebble } from '../../../support/pebble.ts'
import { startApp } from '../../../support/app.ts'
import { until } from '../../../support/until.ts'

const WATCH = 'domain-certificates.watch'

describe('a certificate by ACME', { skip: withoutPebble }, () => {
  const closers: (() => unknown)[] = []
  const t = { after: (close: () => unknown) => void closers.push(close) }
  let names: NameServer
  let app: TestApp
  before(async () => {
    names = await startNameServer(t)
    const pebble = await startPebble(t, { nameServer: names.address, badNonces: 20 })
    const { environment } = await tlsEnvironment(t)
    const plain = await startApp(t, { environment: pebble.environment })
    app = plain
    tls = await plain.sibling({ ...environment, MOORING_ACME_HTTP_PORT: '' })
  })
  let tls: TestApp
  after(async () => {
    for (const close of closers.toReversed()) await close()
  })

  const call = (method: string, path: string, body?: unknown) =>
    app.call(method, path, { as: as.platformKey(app.seed.platformKey), body })
  const order = async ({ path }: TestDomain, challenge: string) => {
    const response = await call('POST', `${path}/acme`, { challenge })
    assert.equal(response.status, 202, response.text)
  }
  const reached = (domain: TestDomain, status: string) =>
    until(`the order is ${status}`, async () => {
      const { body } = await call('GET', `${domain.path}/acme`)
      if (body.status !== status && body.ended_at !== null) assert.fail(JSON.stringify(body))
      return body.status === status && body
    })
  const eventsOf = async (domain: TestDomain): Promise<string[]> => {
    const { rows } = await app.database.pool.query<{ type: string }>(
      `SELECT type FROM events WHERE workspace_id = $1 AND data->>'domain' = $2
         AND type LIKE 'certificate.%' ORDER BY seq`,
      [app.seed.uuid, domain.name],
    )
    return rows.map(({ type }) => type)
  }
  const isPresented = (fingerprint: string, name: string) => async () => {
    const presented = await Promise.all(tlsPortsOf(tls).map((port) => fingerprintAt(port, name)))
    return presented.every((each) => each === fingerprint)
  }
  const certificateOf = async ({ path }: TestDomain) => (await call('GET', path)).body
  const comesDue = async ({ uuid }: TestDomain): Promise<void> => {
    await app.database.pool.query(
      `UPDATE domain_certificates SET renew_at = now() - interval '1 minute' WHERE domain_id = $1`,
      [uuid],
    )
    await app.database.pool.query(`SELECT graphile_worker.add_job($1, '{}', job_key => $2)`, [
      WATCH,
      `every:${WATCH}`,
    ])
  }

  test('is issued by http-01, served by another process, and renewed', async () => {
    const domain = await addDomain(app, 'http.example.com')
    names.zones.set(domain.name, { a: ['127.0.0.1'] })
    await order(domain, 'http-01')
    const second = await call('POST', `${domain.path}/acme`, { challenge: 'http-01' })
    assert.equal(second.body?.code, 'acme_order_open')
    await reached(domain, 'issued')
    const first = await certificateOf(domain)
    assert.equal(first.source, 'acme')
    assert.deepEqual(first.names, [domain.name])
    const life = Date.parse(first.not_after) - Date.parse(first.not_before)
    const part = (Date.parse(first.renew_at) - Date.parse(first.not_before)) / life
    assert.ok(part > 0.66 && part < 0.7, String(part))
    await until('it is presented', isPresented(first.fingerprint_sha256, domain.name))
    await comesDue(domain)
    await until('it is renewed', async () => {
      return (await certificateOf(domain)).fingerprint_sha256 !== first.fingerprint_sha256
    })
    const next = await certificateOf(domain)
    await until('the new one is presented', isPresented(next.fingerprint_sha256, domain.name))
    assert.deepEqual(await eventsOf(domain), ['certificate.issued', 'certificate.renewed'])
  })

  test('is issued by dns-01 once somebody has set the record, and asks for the next', async () => {
    const domain = await addDomain(app, 'dns.example.com')
    await order(domain, 'dns-01')
    const prove = async () => {
      const { record } = await reached(domain, 'waiting')
      assert.equal(record.name, '_acme-challenge.dns.example.com')
      names.zones.set(record.name, { txt: [record.value] })
      for (const _ of [1, 2]) {
        assert.equal((await call('POST', `${domain.path}/acme/continue`)).status, 202)
      }
      await reached(domain, 'issued')
    }
    await prove()
    const over = await call('POST', `${domain.path}/acme/continue`)
    assert.equal(over.body.code, 'invalid_transition')
    const first = await certificateOf(domain)
    await comesDue(domain)
    await until('a record is asked for', async () => (await eventsOf(domain)).length === 3)
    await prove()
    const next = await certificateOf(domain)
    assert.notEqual(next.fingerprint_sha256, first.fingerprint_sha256)
    await until('the new one is presented', isPresented(next.fingerprint_sha256, domain.name))
    assert.deepEqual(await eventsOf(domain), [
      'certificate.challenge_waiting',
      'certificate.issued',
      'certificate.challenge_waiting',
      'certificate.renewed',
    ])
  })

  test('is not issued without a proof, and a failed renewal is an event', async () => {
    const domain = await addDomain(app, 'failing.example.com')
    names.zones.set(domain.name, { a: ['127.0.0.1'] })
    await order(domain, 'http-01')
    await reached(domain, 'issued')
    names.zones.delete(domain.name)
    // The authority may still hold the first proof to be good, and renew by that.
    let first = await certificateOf(domain)
    let received = await eventsOf(domain)
    while (received.at(-1) !== 'certificate.renewal_failed') {
      first = await certificateOf(domain)
      const before = received.length
      await comesDue(domain)
      await until('it is over', async () => (received = await eventsOf(domain)).length > before)
    }
    const failed = await reached(domain, 'failed')
    assert.match(failed.problem, /\S/)
    const kept = await certificateOf(domain)
    assert.equal(kept.fingerprint_sha256, first.fingerprint_sha256)
    assert.ok(Date.parse(kept.renew_at) > Date.now(), 'the renewal is retried later')
  })

  test('is not issued any more once it was uploaded or removed meanwhile', async () => {
    const domain = await addDomain(app, 'ended.example.com')
    await order(domain, 'dns-01')
    await reached(domain, 'waiting')
    assert.equal((await call('DELETE', domain.path)).status, 204)
    assert.equal((await call('GET', `${domain.path}/acme`)).body.status, 'cancelled')
    assert.equal(
      (await call('POST', `${domain.path}/acme/continue`)).body.code,
      'invalid_transition',
    )
  })

  test('keys and accounts are nowhere in plain text', async () => {
    const { rows } = await app.database.pool.query<{ all: string }>(
      `SELECT string_agg(t.row, ' ') AS all FROM (
         SELECT a::text AS row FROM acme_accounts a UNION ALL SELECT o::text FROM acme_orders o
         UNION ALL SELECT c::text FROM domain_certificates c
         UNION ALL SELECT l::text FROM audit_log l UNION ALL SELECT e::text FROM events e) t`,
    )
    const hex = Buffer.from('PRIVATE KEY').toString('hex')
    assert.doesNotMatch(rows[0]?.all ?? '', /PRIVATE KEY/)
    assert.ok(!rows[0]?.all.includes(hex))
    assert.equal((await app.database.pool.query('SELECT FROM acme_accounts')).rows.length, 1)
  })
})
