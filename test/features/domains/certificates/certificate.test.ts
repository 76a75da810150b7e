/** Certificates of domains: the refused ones, and the others as TLS clients see them. */
import assert from 'node:assert/strict'
import { generateKeyPairSync, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { after, before, describe, test } from 'node:test'
import { as, type TestApp } from '../../../support/app.ts'
import { type Certificate, makeAuthority } from '../../../support/certificates.ts'
import {
  addDomain,
  shake,
  fingerprintAt,
  type TestDomain,
  tlsEnvironment,
  tlsPortsOf,
} from '../../../support/domain-tls.ts'
import { useApp } from '../../../support/suite-app.ts'
import { until } from '../../../support/until.ts'

const root = makeAuthority('Root')
const middle = root.subordinate('Middle')
const chainOf = (leaf: string): string => leaf + middle.cert + root.cert
const fingerprintOf = ({ cert }: Certificate): string =>
  new X509Certificate(cert).fingerprint256.replaceAll(':', '').toLowerCase()

const upload = (
  app: TestApp,
  { path }: TestDomain,
  certificate: string,
  key: string,
  headers: Record<string, string> = {},
) =>
  app.call('PUT', path, {
    as: as.platformKey(app.seed.platformKey),
    headers,
    body: { certificate_pem: certificate, private_key_pem: key },
  })

describe('a certificate', () => {
  // Nobody answers there.
  const environment = { MOORING_ACME_DIRECTORY_URL: 'https://127.0.0.1:1/dir' }
  const shared = useApp({ environment })
  const closers: (() => Promise<unknown>)[] = []
  let tls: TestApp
  before(async () => {
    const t = { after: (close: () => unknown) => void closers.push(async () => close()) }
    const { environment } = await tlsEnvironment(t)
    tls = await shared().sibling(environment)
  })
  after(async () => {
    for (const close of closers) await close()
  })
  const call = (method: string, path: string, body?: unknown) =>
    shared().call(method, path, { as: as.user(shared().seed.owner.token), body })

  /** The domain itself, alone and in the list, shows its certificate too. */
  async function sameInDomain({ name, path }: TestDomain, shown: Record<string, unknown>) {
    const { source, fingerprint_sha256, not_after } = shown
    const one = await call('GET', path.replace(/\/certificate$/, ''))
    const { body } = await call('GET', `/workspaces/${shared().seed.id}/domains`)
    const listed = body.items.find((each: { name: string }) => each.name === name)
    for (const { certificate } of [one.body, listed]) {
      assert.deepEqual(certificate, { source, fingerprint_sha256, not_after })
    }
  }

  test('is served by SNI on every TLS port of another process, also after renewal and removal', async () => {
    const app = shared()
    const domain = await addDomain(app, 'shown.example.com')
    const ports = tlsPortsOf(tls)
    const [usual = ''] = await Promise.all(ports.map((port) => fingerprintAt(port, domain.name)))
    const first = middle.issue(domain.name)
    const uploaded = await upload(app, domain, chainOf(first.cert), first.key)
    assert.equal(uploaded.status, 200)
    assert.equal(uploaded.body.fingerprint_sha256, fingerprintOf(first))
    assert.deepEqual(uploaded.body.names, [domain.name])
    assert.equal(uploaded.body.issuer, 'CN=Middle')
    assert.equal(uploaded.body.key_type, 'P-256')
    assert.doesNotMatch(uploaded.text, /PRIVATE KEY/)
    const isPresented = (fingerprint: string, name: string) => async () =>
      (await Promise.all(ports.map((port) => fingerprintAt(port, name)))).every(
        (f) => f === fingerprint,
      )
    await until('it is presented', isPresented(fingerprintOf(first), domain.name))
    await until(
      'it is presented, however it is written',
      isPresented(fingerprintOf(first), 'SHOWN.example.com'),
    )
    assert.ok(
      await isPresented(usual, 'other.example.com')(),
      'other hosts get the default certificate',
    )
    const second = middle.issue(domain.name)
    const replaced = await upload(app, domain, chainOf(second.cert), second.key, {
      'if-match': uploaded.headers.etag ?? '',
    })
    assert.equal(replaced.status, 200)
    const late = await upload(app, domain, chainOf(second.cert), second.key, {
      'if-match': uploaded.headers.etag ?? '',
    })
    assert.equal(late.body.code, 'precondition_failed')
    await until('the new one is presented', isPresented(fingerprintOf(second), domain.name))
    assert.equal((await call('GET', domain.path)).body.fingerprint_sha256, fingerprintOf(second))
    await sameInDomain(domain, replaced.body)
    await call('DELETE', domain.path)
    await until('the usual one is presented', isPresented(usual, domain.name))
    assert.equal((await call('GET', domain.path)).body.code, 'certificate_not_found')
    assert.equal((await call('DELETE', domain.path)).status, 204)
    const { rows } = await app.database.pool.query<{ type: string; data: string }>(
      `SELECT type, data::text AS data FROM events WHERE type LIKE 'certificate.%' ORDER BY seq`,
    )
    assert.deepEqual(
      rows.map(({ type }) => type),
      ['certificate.uploaded', 'certificate.uploaded', 'certificate.removed'],
    )
  })

  test('of a domain that is deleted goes with it', async () => {
    const app = shared()
    const domain = await addDomain(app, 'deleted.example.com')
    const [port = 0] = tlsPortsOf(tls)
    const usual = await fingerprintAt(port, domain.name)
    const leaf = middle.issue(domain.name)
    await upload(app, domain, chainOf(leaf.cert), leaf.key)
    await until('it is presented', async () => (await fingerprintAt(port, domain.name)) !== usual)
    const gone = await call('DELETE', domain.path.replace(/\/certificate$/, ''))
    assert.equal(gone.status, 204)
    await until('it is not', async () => (await fingerprintAt(port, domain.name)) === usual)
    const { rows } = await app.database.pool.query(
      'SELECT FROM domain_certificates WHERE domain_id = $1',
      [domain.uuid],
    )
    assert.equal(rows.length, 0)
  })

  test('of a lapsed domain is served unless another workspace has the domain', async () => {
    const app = shared()
    const { pool } = app.database
    const domain = await addDomain(app, 'lapsing.example.com')
    const [port = 0] = tlsPortsOf(tls)
    const usual = await fingerprintAt(port, domain.name)
    const leaf = middle.issue(domain.name)
    await upload(app, domain, chainOf(leaf.cert), leaf.key)
    await until('it is presented', async () => (await fingerprintAt(port, domain.name)) !== usual)
    const announce = (workspaceId: string): Promise<void> =>
      app.database.transaction((trx) =>
        app.services.domains.announce(trx, { workspaceId, name: domain.name }),
      )
    await pool.query(`UPDATE domains SET status = 'lapsed' WHERE id = $1`, [domain.uuid])
    await announce(app.seed.uuid)
    const marker = await addDomain(app, 'after-lapse.example.com')
    const other = middle.issue(marker.name)
    await upload(app, marker, chainOf(other.cert), other.key)
    await until(
      'the lapse is known',
      async () => (await fingerprintAt(port, marker.name)) !== usual,
    )
    assert.notEqual(await fingerprintAt(port, domain.name), usual)
    const { seed } = app
    const theirs = await addDomain({ ...app, seed: { ...seed.other, other: seed } }, domain.name)
    await announce(seed.other.uuid)
    await until('it is not', async () => (await fingerprintAt(port, domain.name)) === usual)
    const caller = { as: as.platformKey(seed.other.platformKey) }
    const gone = await app.call('DELETE', theirs.path.replace(/\/certificate$/, ''), caller)
    assert.equal(gone.status, 204, gone.text)
    await until('it is again', async () => (await fingerprintAt(port, domain.name)) !== usual)
    assert.equal(await fingerprintAt(port, domain.name), fingerprintOf(leaf))
  })

  test('with a key moved to another row is not served', async () => {
    const app = shared()
    const domain = await addDomain(app, 'swapped.example.com')
    const victim = await addDomain(app, 'victim.example.com')
    for (const { name, path, uuid } of [domain, victim]) {
      const leaf = middle.issueAs({ hosts: [name] })
      assert.equal(
        (await upload(app, { name, path, uuid }, chainOf(leaf.cert), leaf.key)).status,
        200,
      )
    }
    await app.database.pool.query(
      `UPDATE domain_certificates SET sealed_key = other.sealed_key, chain = other.chain
       FROM domain_certificates other
       WHERE domain_certificates.domain_id = $1 AND other.domain_id = $2`,
      [domain.uuid, victim.uuid],
    )
    const fresh = await app.sibling(
      (await tlsEnvironment({ after: (c) => void closers.push(c) })).environment,
    )
    const [port = 0] = tlsPortsOf(fresh)
    assert.notEqual(
      await fingerprintAt(port, victim.name),
      await fingerprintAt(port, 'usual.example'),
    )
    assert.equal(await fingerprintAt(port, domain.name), await fingerprintAt(port, 'usual.example'))
    await fresh.close()
  })

  test('allows TLS sessions to be resumed only for the same name', async () => {
    const app = shared()
    const domain = await addDomain(app, 'resumed.example.com')
    const leaf = middle.issue(domain.name)
    await upload(app, domain, chainOf(leaf.cert), leaf.key)
    for (const port of tlsPortsOf(tls)) {
      await until(
        'it is presented',
        async () => (await fingerprintAt(port, domain.name)) === fingerprintOf(leaf),
      )
      for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const) {
        const first = await shake(port, domain.name, { maxVersion })
        const [ticket] =
          maxVersion === 'TLSv1.2' ? [first.getSession()] : await once(first, 'session')
        first.destroy()
        const again = await shake(port, domain.name, { maxVersion, session: ticket as Buffer })
        assert.ok(again.isSessionReused(), `${port} ${maxVersion}`)
        again.destroy()
        const other = await shake(port, 'usual.example', { maxVersion, session: ticket as Buffer })
        assert.notEqual(other.getPeerCertificate().subject?.CN, domain.name)
        other.destroy()
      }
    }
  })

  test('is refused with the reason, and without what was sent', async () => {
    const app = shared()
    const domain = await addDomain(app, 'refused.example.com')
    const good = middle.issue(domain.name)
    const chain = chainOf(good.cert)
    for (const [certificate, key, pointer, words] of [
      [chain, middle.issue(domain.name).key, '/private_key_pem', /does not belong to the first/],
      [chain, 'nothing', '/private_key_pem', /contains no PEM private key/],
      [good.cert, good.key, '/certificate_pem', /is incomplete/],
      [chain + good.key, good.key, '/certificate_pem', /contains a private key/],
    ] as const) {
      const response = await upload(app, domain, certificate, key)
      assert.equal(response.status, 400, pointer)
      assert.match(response.body.detail, words)
      assert.doesNotMatch(response.text, /-----BEGIN/)
    }
    const huge = await upload(app, domain, good.cert.repeat(100), good.key)
    assert.equal(huge.body.errors[0].pointer, '/certificate_pem')
    for (const status of ['pending', 'lapsed']) {
      const unproven = await addDomain(app, `${status}.example.com`, status)
      const leaf = middle.issue(unproven.name)
      const response = await upload(app, unproven, chainOf(leaf.cert), leaf.key)
      assert.equal(response.body.code, 'invalid_transition', status)
    }
    assert.equal((await call('GET', domain.path)).status, 404)
  })

  test('may have a wildcard, an RSA or an Ed25519 key, and text around it', async () => {
    const app = shared()
    const domain = await addDomain(app, 'fine.example.com')
    const kinds = {
      'RSA 2048': generateKeyPairSync('rsa', { modulusLength: 2048 }),
      'P-384': generateKeyPairSync('ec', { namedCurve: 'secp384r1' }),
      Ed25519: generateKeyPairSync('ed25519'),
    }
    for (const [kind, keys] of Object.entries(kinds)) {
      const leaf = middle.issueAs({ hosts: ['*.example.com'], keys })
      const text = `subject=CN = x\r\n${chainOf(leaf.cert).replaceAll('\n', '\r\n')}`
      const response = await upload(app, domain, text, `Bag Attributes\n${leaf.key}`)
      assert.equal(response.status, 200, response.text)
      assert.equal(response.body.key_type, kind)
    }
    const lone = makeAuthority('fine.example.com')
    assert.equal(
      (await upload(app, domain, lone.cert, lone.key)).status,
      400,
      'a certificate without names is refused',
    )
  })

  test('is not to be ordered where ACME is off', async () => {
    const app = await shared().sibling({ MOORING_ACME_DIRECTORY_URL: '' })
    const { path } = await addDomain(app, 'off.example.com')
    const caller = as.platformKey(app.seed.platformKey)
    const body = { challenge: 'http-01' }
    const response = await app.call('POST', `${path}/acme`, { as: caller, body })
    assert.equal(response.body.code, 'acme_off')
    await app.close()
  })

  test('is ordered once at a time, from an authority that is away too, and not without end', async () => {
    const app = shared()
    const domain = await addDomain(app, 'ordered.example.com')
    const acme = `${domain.path}/acme`
    assert.equal((await call('GET', acme)).body.code, 'acme_order_not_found')
    assert.equal((await call('POST', `${acme}/continue`)).body.code, 'acme_order_not_found')
    const challenge = { challenge: 'http-01' }
    const responses = await Promise.all([1, 2, 3, 4].map(() => call('POST', acme, challenge)))
    assert.deepEqual(
      responses.map(({ status }) => status).sort((a, b) => a - b),
      [202, 409, 409, 409],
    )
    const refused = responses.filter(({ status }) => status === 409)
    for (const { body } of refused) assert.equal(body.code, 'acme_order_open')
    const away = await until('the failure is reported', async () => {
      const { body } = await call('GET', acme)
      return body.problem !== null && body
    })
    assert.equal(away.status, 'ordering')
    assert.match(away.problem, /could not be reached/)
    assert.equal((await call('POST', `${acme}/continue`)).body.code, 'invalid_transition')
    assert.equal((await call('DELETE', domain.path)).status, 204)
    const { status, ended_at } = (await call('GET', acme)).body
    assert.deepEqual([status, ended_at === null], ['cancelled', false])
    await app.database.pool.query(
      `INSERT INTO acme_orders (workspace_id, id, domain_id, name, challenge, status, next_at,
                                created_by, expires_at, ended_at)
       SELECT $1, gen_random_uuid(), $2, 'x', 'dns-01', 'failed', NULL, 'seed', now(), now()
       FROM generate_series(1, 48)`,
      [app.seed.uuid, domain.uuid],
    )
    const two = await Promise.all(
      ['one', 'two', 'three'].map(async (name) => {
        const { path } = await addDomain(app, `${name}.ordered.example.com`)
        return call('POST', `${path}/acme`, { challenge: 'dns-01' })
      }),
    )
    assert.deepEqual(
      two.map(({ status }) => status).sort((a, b) => a - b),
      [202, 409, 409],
    )
    const over = two.find(({ status }) => status === 409)
    assert.equal(over?.body.code, 'limit_reached')
    assert.equal(over?.body.limit.name, 'acme_orders_per_day')
  })
})
