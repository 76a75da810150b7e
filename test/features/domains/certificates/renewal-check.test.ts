/** When certificates are renewed, as their authority wants it (RFC 9773), or by themselves. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { certificateIdOf } from '../../../../src/adapters/acme/certificate-id.ts'
import { newUuid } from '../../../../src/platform/lib/ids.ts'
import { DAY_MS } from '../../../../src/platform/lib/time.ts'
import { as, startApp, type TestApp } from '../../../support/app.ts'
import { makeAuthority } from '../../../support/certificates.ts'
import { addDomain, type TestDomain } from '../../../support/domain-tls.ts'
import { until } from '../../../support/until.ts'

const authorityKeyId = Buffer.from('69885b6b87464041e1b37b847ba0ae2cde01c8d4', 'hex')
const root = makeAuthority('Root')
/** In the place of a response: the authority fails. */
const BROKEN = 'broken'
const inDays = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString()

describe('an authority', () => {
  /** Its responses, by the identifier of a certificate. */
  const responses = new Map<string, unknown>()
  let directory: object = {}
  const server = createServer(root.issue('127.0.0.1'), ({ url = '' }, response) => {
    const result = url === '/dir' ? directory : responses.get(url.replace('/renewals/', ''))
    const status = result === BROKEN ? 500 : 200
    response.writeHead(result === undefined ? 404 : status, {
      'content-type': 'application/json',
      'retry-after': '900',
    })
    response.end(JSON.stringify(result ?? {}))
  })
  const closers: (() => unknown)[] = []
  let app: TestApp
  let origin = ''
  before(async () => {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    origin = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
    directory = { renewalInfo: `${origin}/renewals/` }
    const folder = await mkdtemp(join(tmpdir(), 'mooring-acme-'))
    closers.push(() => rm(folder, { recursive: true, force: true }))
    const roots = join(folder, 'ca.pem')
    await writeFile(roots, root.cert)
    const t = { after: (close: () => unknown) => void closers.push(close) }
    app = await startApp(t, {
      environment: { MOORING_ACME_DIRECTORY_URL: `${origin}/dir`, MOORING_ACME_CA_FILE: roots },
    })
  })
  after(async () => {
    for (const close of closers.toReversed()) await close()
    server.closeAllConnections()
    server.close()
  })

  /** A certificate of ACME of ninety days, of which forty are over. */
  async function certify(name: string) {
    const domain = await addDomain(app, name)
    const { cert, key } = root.issueAs({ hosts: [name], authorityKeyId })
    const body = { certificate_pem: cert + root.cert, private_key_pem: key }
    const caller = as.platformKey(app.seed.platformKey)
    assert.equal((await app.call('PUT', domain.path, { as: caller, body })).status, 200)
    await app.database.pool.query(
      `UPDATE domain_certificates SET source = 'acme', challenge = 'http-01',
         not_before = now() - interval '40 days', not_after = now() + interval '50 days',
         renew_at = now() + interval '20 days', renewal_look_at = now() + interval '1 day'
       WHERE domain_id = $1`,
      [domain.uuid],
    )
    return { ...domain, certificateId: certificateIdOf(cert) ?? '' }
  }
  const say = (certificateId: string, start: string, end: string): void =>
    void responses.set(certificateId, { suggestedWindow: { start, end } })

  /** Has it asked about a certificate. @returns days until it is renewed, and asked about again. */
  async function ask({ uuid }: TestDomain): Promise<{ renewed: number; asked: number }> {
    const { pool } = app.database
    await pool.query(
      `UPDATE domain_certificates SET renewal_look_at = now() - interval '1 s' WHERE domain_id = $1`,
      [uuid],
    )
    const task = 'domain-certificates.look_at_renewals'
    const values = [task, `every:${task}`]
    await pool.query(`SELECT graphile_worker.add_job($1, '{}', job_key => $2)`, values)
    await until('it was asked', async () => {
      const text = 'SELECT FROM graphile_worker.jobs WHERE key = $1 AND run_at > now()'
      return (await pool.query(text, [`every:${task}`])).rows.length > 0
    })
    const { rows } = await pool.query(
      `SELECT extract(epoch FROM renew_at - now()) / 86400 AS renewed,
              extract(epoch FROM renewal_look_at - now()) / 86400 AS asked
       FROM domain_certificates WHERE domain_id = $1`,
      [uuid],
    )
    return { renewed: Number(rows[0].renewed), asked: Number(rows[0].asked) }
  }

  test('is followed in when it wants a certificate renewed, and asked when it says', async () => {
    const domain = await certify('window.example.com')
    say(domain.certificateId, inDays(5), inDays(7))
    const first = await ask(domain)
    assert.ok(first.renewed > 4.9 && first.renewed < 7.1, String(first.renewed))
    assert.ok(first.asked < 0.1, 'the check is due in a quarter of an hour')
    const second = await ask(domain)
    assert.ok(
      Math.abs(second.renewed - first.renewed) < 0.01,
      'the same window gives the same time',
    )
    say(domain.certificateId, inDays(300), inDays(301))
    const late = await ask(domain)
    assert.ok(late.renewed < 50, 'the renewal is due before the end of the certificate')
  })

  test('that wants one renewed at once has its order, unless that has just failed', async () => {
    const { pool } = app.database
    const [domain, failing] = [await certify('now.example.com'), await certify('no.example.com')]
    for (const { certificateId } of [domain, failing]) say(certificateId, inDays(-3), inDays(-2))
    await pool.query(
      `INSERT INTO acme_orders (workspace_id, id, domain_id, name, challenge, is_renewal, status,
                                next_at, created_by, expires_at, created_at, ended_at)
       VALUES ($1, $2, $3, 'x', 'http-01', true, 'failed', NULL, 'service', now(),
               now() + interval '1 s', now())`,
      [app.seed.uuid, newUuid(), failing.uuid],
    )
    assert.ok((await ask(failing)).renewed > 19)
    assert.ok((await ask(domain)).renewed < 0)
    const watch = 'domain-certificates.watch'
    const values = [watch, `every:${watch}`]
    await pool.query(`SELECT graphile_worker.add_job($1, '{}', job_key => $2)`, values)
    const orders = await until('it is ordered', async () => {
      const text = `SELECT domain_id, is_renewal FROM acme_orders WHERE created_by = 'service'
                      AND status <> 'failed'`
      const { rows } = await pool.query(text)
      return rows.length > 0 && rows
    })
    assert.deepEqual(orders, [{ domain_id: domain.uuid, is_renewal: true }])
  })

  test('that is empty or nonsense changes nothing', async () => {
    const domain = await certify('unknown.example.com')
    assert.ok((await ask(domain)).renewed > 19, 'the authority does not know the certificate')
    for (const [start, end] of [
      [inDays(7), inDays(5)],
      ['soon', 'later'],
    ] as const) {
      say(domain.certificateId, start, end)
      assert.ok((await ask(domain)).renewed > 19, start)
    }
  })

  test('that fails for one certificate is asked about the others', async () => {
    const [broken, good] = [await certify('broken.example.com'), await certify('good.example.com')]
    responses.set(broken.certificateId, BROKEN)
    say(good.certificateId, inDays(5), inDays(7))
    await app.database.pool.query(
      `UPDATE domain_certificates SET renewal_look_at = now() - interval '1 h' WHERE domain_id = $1`,
      [broken.uuid],
    )
    assert.ok((await ask(good)).renewed < 7.1)
  })
})
