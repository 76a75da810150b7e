/** Events and mails about ending certificates, and what authorities find that look for a proof. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import { newUuid } from '../../../../src/platform/lib/ids.ts'
import { as, callUrl } from '../../../support/app.ts'
import { makeAuthority } from '../../../support/certificates.ts'
import { addDomain, type TestDomain } from '../../../support/domain-tls.ts'
import { freePort } from '../../../support/free-port.ts'
import { sendRaw } from '../../../support/raw-http.ts'
import { useApp } from '../../../support/suite-app.ts'
import { until } from '../../../support/until.ts'

const WATCH = 'domain-certificates.watch'
const challengePort = await freePort()

describe('in time', () => {
  const get = useApp({
    environment: {
      MOORING_ACME_HTTP_PORT: String(challengePort),
      // Nobody answers there.
      MOORING_ACME_DIRECTORY_URL: 'https://127.0.0.1:1/dir',
    },
  })

  /** Has the watch look, at a certificate that ends in so many days. */
  async function checkCertificates({ uuid }: TestDomain, days: number): Promise<void> {
    const { pool } = get().database
    await pool.query(
      `UPDATE domain_certificates SET not_after = now() + make_interval(hours => $2)
       WHERE domain_id = $1`,
      [uuid, days * 24],
    )
    const name = `every:${WATCH}`
    await pool.query(`SELECT graphile_worker.add_job($1, '{}', job_key => $2)`, [WATCH, name])
    await until('the certificate watch has run', async () => {
      const text = 'SELECT FROM graphile_worker.jobs WHERE key = $1 AND run_at > now()'
      return (await pool.query(text, [name])).rows.length > 0
    })
  }

  async function received({ name }: TestDomain): Promise<{ days: number; problem: string }[]> {
    const { rows } = await get().database.pool.query(
      `SELECT data FROM events WHERE type = 'certificate.expiring' AND data->>'domain' = $1
       ORDER BY seq`,
      [name],
    )
    return rows.map(({ data }) => data)
  }

  async function upload(domain: TestDomain): Promise<void> {
    const { call, seed } = get()
    const root = makeAuthority()
    const { cert, key } = root.issue(domain.name)
    const body = { certificate_pem: cert + root.cert, private_key_pem: key }
    const caller = as.platformKey(seed.platformKey)
    assert.equal((await call('PUT', domain.path, { as: caller, body })).status, 200)
  }

  test('the end of an uploaded certificate is announced once at each step', async () => {
    const domain = await addDomain(get(), 'ending.example.com')
    await upload(domain)
    const expected: [days: number, received: number[]][] = [
      [40, []],
      [29, [30]],
      [20, [30]],
      [5, [30, 7]],
      [0, [30, 7, 1]],
      [-1, [30, 7, 1]],
    ]
    for (const [days, all] of expected) {
      await checkCertificates(domain, days)
      const steps = (await received(domain)).map((each) => each.days)
      assert.deepEqual(steps, all, `${days} days before the end`)
    }
    assert.match(
      (await received(domain))[0]?.problem ?? '',
      /^An uploaded certificate is not renewed/,
    )
  })

  test('the end of an ordered certificate is announced after its domain has lapsed', async () => {
    const { pool } = get().database
    const domain = await addDomain(get(), 'lapsed.example.com')
    await upload(domain)
    await pool.query(
      `UPDATE domain_certificates SET source = 'acme', challenge = 'http-01',
         renew_at = now() + interval '1 day' WHERE domain_id = $1`,
      [domain.uuid],
    )
    await checkCertificates(domain, 20)
    assert.deepEqual(await received(domain), [], 'a certificate that is renewed has no event')
    await pool.query(`UPDATE domains SET status = 'lapsed' WHERE id = $1`, [domain.uuid])
    await checkCertificates(domain, 20)
    const [{ days, problem } = assert.fail('there is no event'), ...rest] = await received(domain)
    assert.deepEqual([days, rest.length], [30, 0])
    assert.match(problem, /^The domain has lapsed\. When its TXT record .* is renewed\.$/)
  })

  test('a proof is served only at the path of its token, while the order is open', async () => {
    const app = get()
    const { pool } = app.database
    const domain = await addDomain(app, 'proven.example.com')
    const token = randomBytes(24).toString('base64url')
    const proof = `${token}.${randomBytes(32).toString('base64url')}`
    await pool.query(
      `INSERT INTO acme_orders (workspace_id, id, domain_id, name, challenge, status, token, proof,
                                next_at, created_by, expires_at)
       VALUES ($1, $2, $3, 'x', 'http-01', 'validating', $4, $5, NULL, 'seed',
               now() + interval '1 day')`,
      [app.seed.uuid, newUuid(), domain.uuid, token, proof],
    )
    const path = '/.well-known/acme-challenge'
    const places = [app.origin, `http://127.0.0.1:${challengePort}`]
    for (const origin of places) {
      const found = await callUrl(`${origin}${path}/${token}`, 'GET')
      assert.deepEqual([found.status, found.text], [200, proof])
      const port = Number(new URL(origin).port)
      for (const wrong of [
        `${path}/`,
        `${path}/${token}/`,
        `${path}/${token}x`,
        `${path}/${token.slice(0, -1)}`,
        `${path}/${token}%00`,
        `${path}/..%2f${token}`,
        `${path}/%2e%2e/%2e%2e/etc/passwd`,
        `${path}/../../../../etc/passwd`,
        `${path}/${'a'.repeat(150)}`,
        `${path}/'%20OR%20token%20IS%20NOT%20NULL--`,
        `/x${path}/${token}`,
        `${path}//${token}`,
      ]) {
        const request = `GET ${wrong} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`
        assert.equal((await sendRaw(port, request)).status, 404, wrong)
      }
    }
    const other = await callUrl(`http://127.0.0.1:${challengePort}/api/v1/openapi.json`, 'GET')
    assert.equal(other.status, 404)
    await app.call('DELETE', domain.path, { as: as.platformKey(app.seed.platformKey) })
    for (const origin of places) {
      assert.equal((await callUrl(`${origin}${path}/${token}`, 'GET')).status, 404)
    }
  })
})
