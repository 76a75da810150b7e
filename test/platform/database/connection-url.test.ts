/** DATABASE_URL: read as libpq reads it, with TLS as its options say, and never repeated. */
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test, type TestContext } from 'node:test'
import { readDatabaseUrl } from '../../../src/platform/database/connection-url.ts'
import { openServer } from '../../../src/platform/database/server.ts'
import { makeAuthority } from '../../support/certificates.ts'
import { type FakeOptions, startFakePostgres } from '../../support/fake-postgres.ts'

describe('the address', () => {
  const read = (text: string) => readDatabaseUrl(text).connection

  test('is read with its escapes, and without optional parts', () => {
    const { user, password, host, port, database } = read('postgres://a%40b:p%23%2F@db.test/m%20x')
    assert.deepEqual([user, password, host, port, database], ['a@b', 'p#/', 'db.test', 5432, 'm x'])
    assert.equal(read('postgresql://[::1]:6000/m').host, '::1')
    assert.equal(read('postgres:///m').host, 'localhost')
    assert.equal(read('postgres://u@h/a%23b%2520').database, 'a#b%20')
    assert.equal(read('postgres://u:a b%2F@h/m').password, 'a b/')
    assert.equal(read('postgres://h/m?dbname=x&user=').database, 'x')
  })

  test('may name several hosts, as libpq lists them', () => {
    const places = [
      ['postgres://u:p@a,b/m', 'a:5432,b:5432/m'],
      ['postgres://u:p@a:6000,[::1]:6001/m?target_session_attrs=read-write', 'a:6000,[::1]:6001/m'],
      ['postgres://u:p@/m?host=a,b&port=6000', 'a:6000,b:6000/m'],
      ['postgres://u:p@/m?host=a,b&port=1,2&target_session_attrs=primary', 'a:1,b:2/m'],
    ]
    for (const [text = '', place] of places) {
      const address = readDatabaseUrl(text)
      assert.equal(address.place, place)
      assert.deepEqual([address.connection.user, address.connection.password], ['u', 'p'])
    }
  })

  test('may be a socket, which takes no TLS', () => {
    for (const text of ['postgres://ada@/m?host=/run/pg', 'postgres://ada@%2Frun%2Fpg/m']) {
      const { host, user, ssl, database } = read(text)
      assert.deepEqual([host, user, ssl, database], ['/run/pg', 'ada', false, 'm'])
    }
  })

  const wrong = [
    ['postgres://u:secret#1@db/m', /is not a URL|has a #/],
    ['postgres://u:secret@db:port/m', /is not a URL/],
    ['postgres://u:secret%@db/m', /% that does not begin an escape/],
    ['postgres://u:secret@db/%ff', /% that does not begin an escape/],
    ['secret', /is not a URL/],
    ['postgres://u:secret@a,/m', /is not a URL|empty name/],
    ['postgres://u:secret@/m?host=a,,b', /empty name among its hosts/],
    ['postgres://u:secret@/m?host=a,b,c&port=1,2', /3 hosts, but 2 ports/],
    ['postgres://u:secret@/m?host=a,/run/pg', /sockets and hosts/],
    ['postgres://u:secret@a,b/m?target_session_attrs=any', /target_session_attrs/],
    ['postgres://u:secret@db/m?ssl=true', /unknown option ssl/],
    ['postgres://u:secret@db/m?sslmode=verify-ca', /needs sslrootcert/],
    ['postgres://u:secret@db/m?sslmode=require&sslrootcert=system', /only safe with/],
    ['postgres://u:secret@db/m?sslcert=/nonexistent', /sslcert and sslkey together/],
    ['postgres://u:secret@db/m?sslmode=require&sslrootcert=/nonexistent', /cannot be read/],
  ] as const
  for (const [text, words] of wrong) {
    test(`is refused without being repeated: ${text}`, () => {
      assert.throws(
        () => read(text),
        (error: Error) => words.test(error.message) && !error.message.includes('secret'),
      )
    })
  }
})

const authority = makeAuthority()
const otherAuthority = makeAuthority('Another authority')
const own = authority.issue('localhost')
const client = authority.issue('client')
let folder: string
let roots: string
let otherRoots: string

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mooring-certificates-'))
  roots = join(folder, 'roots.pem')
  otherRoots = join(folder, 'other-roots.pem')
  await writeFile(roots, authority.cert)
  await writeFile(otherRoots, otherAuthority.cert)
  await writeFile(join(folder, 'client.pem'), client.cert)
  await writeFile(join(folder, 'client.key'), client.key)
})
after(() => rm(folder, { recursive: true }))

/**
 * Connects until the server refuses the password. @returns what was refused, and how it was met.
 */
async function attempt(t: TestContext, options: string, fake: FakeOptions, host = 'localhost') {
  const { port, sessions } = await startFakePostgres(t, fake)
  const url = `postgres://u:p@${host}:${port}/m?${options}`
  const error = await openServer(url, { timeoutMs: 0, log: () => {} }).then(
    () => assert.fail('the server lets nobody in'),
    (reason: Error) => reason,
  )
  const [session] = sessions
  if (session !== undefined) assert.match(error.message, /password authentication failed/)
  return { message: error.message, session, sessions }
}

describe('TLS to the database', () => {
  const tls = { ...own, ca: authority.cert }
  const met = (isTls: boolean) => ({ tls: isTls, client: undefined })

  test('is used by default where it is offered', async (t) => {
    assert.deepEqual((await attempt(t, '', { tls })).session, met(true))
    assert.deepEqual((await attempt(t, '', {})).session, met(false))
    assert.deepEqual((await attempt(t, 'sslmode=disable', { tls })).session, met(false))
  })

  test('is required by `require`, whatever the certificate', async (t) => {
    assert.deepEqual((await attempt(t, 'sslmode=require', { tls })).session, met(true))
    const refused = await attempt(t, 'sslmode=require', {})
    assert.deepEqual(refused.sessions, [])
    assert.match(refused.message, /offers no TLS/)
  })

  test('is verified by require too, once it has roots', async (t) => {
    const trusted = await attempt(t, `sslmode=require&sslrootcert=${roots}`, { tls })
    assert.deepEqual(trusted.session, met(true))
    const other = await attempt(t, `sslmode=require&sslrootcert=${otherRoots}`, { tls })
    assert.deepEqual(other.sessions, [])
  })

  test('is verified by verify-ca, whatever the host is called', async (t) => {
    const options = `sslmode=verify-ca&sslrootcert=${roots}`
    assert.deepEqual((await attempt(t, options, { tls }, '127.0.0.1')).session, met(true))
    const other = `sslmode=verify-ca&sslrootcert=${otherRoots}`
    assert.deepEqual((await attempt(t, other, { tls })).sessions, [])
  })

  test('is verified by verify-full with the name of the host', async (t) => {
    const options = `sslmode=verify-full&sslrootcert=${roots}`
    assert.deepEqual((await attempt(t, options, { tls })).session, met(true))
    const byAddress = await attempt(t, options, { tls }, '127.0.0.1')
    assert.deepEqual(byAddress.sessions, [])
    assert.match(byAddress.message, /127\.0\.0\.1/)
    const strict = await attempt(t, 'sslmode=verify-full', { tls })
    assert.deepEqual(strict.sessions, [], 'public authorities do not know it')
    assert.match(strict.message, /name its authority in sslrootcert/)
    const addressed = { ...authority.issue('127.0.0.1'), ca: authority.cert }
    const right = await attempt(t, options, { tls: addressed }, '127.0.0.1')
    assert.deepEqual(right.session, met(true))
  })

  test('shows the certificate of the client', async (t) => {
    const files = `sslcert=${join(folder, 'client.pem')}&sslkey=${join(folder, 'client.key')}`
    const { session } = await attempt(t, `sslmode=require&${files}`, { tls })
    assert.deepEqual(session, { tls: true, client: 'client' })
  })
})

describe('a server that will not do', () => {
  const good = { version: '150018', encoding: 'UTF8', standby: 'f' }
  const open = async (t: TestContext, row: Record<string, string>) => {
    const { port } = await startFakePostgres(t, { row })
    return openServer(`postgres://u@127.0.0.1:${port}/m?sslmode=disable`, {
      timeoutMs: 0,
      log: () => {},
    })
  }

  test('is distinguished from one that will', async (t) => {
    assert.equal((await open(t, good)).database, 'm')
    await assert.rejects(open(t, { ...good, version: '140012' }), /Postgres 14; .* 15 or newer/)
    await assert.rejects(open(t, { ...good, encoding: 'LATIN1' }), /encoding LATIN1/)
    await assert.rejects(open(t, { ...good, standby: 't' }), /standby/)
  })

  test('and stays away is given up, with the address that was tried', async () => {
    const lines: string[] = []
    const waiting = { timeoutMs: 300, log: (line: string) => void lines.push(line) }
    await assert.rejects(
      openServer('postgres://u:secret@127.0.0.1:1/m', waiting),
      (error: Error) => {
        assert.match(error.message, /127\.0\.0\.1:1\/m cannot be used: nothing listens there/)
        return !error.message.includes('secret')
      },
    )
    assert.match(lines.join('\n'), /waiting for the Postgres at 127\.0\.0\.1:1\/m/)
  })
})
