/** What is told of the ends of certificates, and what authorities find that look for a proof. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import { newUuid } from '../../../../src/lib/ids.ts'
import { as, callUrl } from '../../../support/app.ts'
import { makeAuthority } from '../../../support/certificates.ts'
import { addDomain } from '../../../support/domain-tls.ts'
import { freePort } from '../../../support/pebble.ts'
import { sendRaw } from '../../../support/raw-http.ts'
import { useApp } from '../../../support/suite-app.ts'
import { until } from '../../../support/until.ts'

const WATCH = 'domain-certificates.watch'
const challengePort = await freePort()

describe('in time', () => {
  const get = useApp({ environment: { MOORING_ACME_HTTP_PORT: String(challengePort) } })

  test('the end of an uploaded certificate is told of once at each step', async () => {
    const app = get()
    const { pool } = app.database
    const domain = await addDomain(app, 'ending.example.com')
    const root = makeAuthority()
    const { cert, key } = root.issue(domain.name)
    const body = { certificate_pem: cert + root.cert, private_key_pem: key }
    const caller = as.platformKey(app.seed.platformKey)
    assert.equal((await app.call('PUT', domain.path, { as: caller, body })).status, 200)
    const look = async (days: number) => {
      await pool.query(
        `UPDATE domain_certificates SET not_after = now() + make_interval(hours => $2)
         WHERE domain_id = $1`,
        [domain.uuid, days * 24],
      )
      const name = `every:${WATCH}`
      await pool.query(`SELECT graphile_worker.add_job($1, '{}', job_key => $2)`, [WATCH, name])
      await until('the watch has looked', async () => {
        const text = 'SELECT FROM graphile_worker.jobs WHERE key = $1 AND run_at > now()'
        return (await pool.query(text, [name])).rows.length > 0
      })
    }
    const told = async () => {
      const { rows } = await pool.query<{ days: string }>(
        `SELECT data->>'days' AS days FROM events WHERE type = 'certificate.expiring' ORDER BY seq`,
      )
      return rows.map(({ days }) => Number(days))
    }
    const expected: [days: number, told: number[]][] = [
      [40, []],
      [29, [30]],
      [20, [30]],
      [5, [30, 7]],
      [0, [30, 7, 1]],
      [-1, [30, 7, 1]],
    ]
    for (const [days, all] of expected) {
      await look(days)
      assert.deepEqual(await told(), all, `${days} days before the end`)
    }
  })

  test('a proof is found at the path of its token and nowhere else, while it is looked for', async () => {
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
