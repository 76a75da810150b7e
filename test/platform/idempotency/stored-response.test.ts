/** `Idempotency-Key`: acted on once, answered again byte for byte, encrypted in between. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { before, suite, test } from 'node:test'
import { unnamed } from '../../../src/platform/database/connect.ts'
import { expireStoredResponses } from '../../../src/platform/idempotency/stored-response.ts'
import { formatId } from '../../../src/platform/lib/ids.ts'
import { as, type CallResult, type TestApp } from '../../support/app.ts'
import { seedUser } from '../../support/seed.ts'
import { useApp } from '../../support/suite-app.ts'

const rowsOf = unnamed('SELECT scope, key_hash, fingerprint, sealed FROM idempotency_keys')
const countKeys = unnamed('SELECT count(*) AS found FROM api_keys WHERE name = $1')
const ageAll = unnamed(
  `UPDATE idempotency_keys SET created_at = created_at - make_interval(hours => $1)`,
)

suite('Idempotency-Key', () => {
  const get = useApp()
  let app: TestApp
  before(() => void (app = get()))

  interface Attempt {
    key: string
    name: string
    platformKey?: string
    workspaceId?: string
    quoted?: boolean
  }
  const create = ({ key, name, platformKey, workspaceId, quoted }: Attempt): Promise<CallResult> =>
    app.call('POST', `/workspaces/${workspaceId ?? app.seed.id}/api-keys`, {
      as: as.platformKey(platformKey ?? app.seed.platformKey),
      headers: { 'idempotency-key': quoted ? `"${key}"` : key },
      body: { key_kind: 'provision', name },
    })
  const keysNamed = async (name: string): Promise<number> => {
    const [row] = await app.database.query<{ found: number }>(countKeys, [name])
    return row?.found ?? 0
  }

  test('fifty identical requests at once make one key and give one response', async () => {
    const key = randomUUID()
    const results = await Promise.all(
      Array.from({ length: 50 }, () => create({ key, name: 'fifty' })),
    )
    const good = results.filter(({ status }) => status === 201)
    const refused = results.filter(({ status }) => status !== 201)
    assert.equal(await keysNamed('fifty'), 1)
    assert.ok(good.length >= 1)
    assert.equal(new Set(good.map(({ text }) => text)).size, 1)
    for (const { status, body, headers } of refused) {
      assert.equal(status, 409)
      assert.equal(body.code, 'idempotency_in_progress')
      assert.match(headers['retry-after'] ?? '', /^\d+$/)
    }
    const again = await create({ key, name: 'fifty' })
    assert.equal(again.status, 201)
    assert.equal(again.headers['idempotent-replayed'], 'true')
    assert.equal(again.text, good[0]?.text)
    for (const name of ['etag', 'location', 'content-type']) {
      assert.equal(again.headers[name], good[0]?.headers[name], name)
    }
    assert.notEqual(again.headers['x-request-id'], good[0]?.headers['x-request-id'])
  })

  test('the first response does not claim to be a replay', async () => {
    const first = await create({ key: randomUUID(), name: 'first' })
    assert.equal(first.status, 201)
    assert.equal(first.headers['idempotent-replayed'], undefined)
  })

  test('two processes on one database act once', async () => {
    const sibling = await app.sibling()
    const key = randomUUID()
    const options = {
      as: as.platformKey(app.seed.platformKey),
      headers: { 'idempotency-key': key },
      body: { key_kind: 'provision', name: 'two processes' },
    }
    const path = `/workspaces/${app.seed.id}/api-keys`
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        (index % 2 === 0 ? app : sibling).call('POST', path, options),
      ),
    )
    assert.equal(await keysNamed('two processes'), 1)
    const texts = results.filter(({ status }) => status === 201).map(({ text }) => text)
    assert.equal(new Set(texts).size, 1)
  })

  test('the key is the same with and without quotes', async () => {
    const key = randomUUID()
    const bare = await create({ key, name: 'quotes' })
    const quoted = await create({ key, name: 'quotes', quoted: true })
    assert.equal(quoted.headers['idempotent-replayed'], 'true')
    assert.equal(quoted.text, bare.text)
  })

  test('the same key with another body is refused', async () => {
    const key = randomUUID()
    await create({ key, name: 'one body' })
    const other = await create({ key, name: 'another body' })
    assert.equal(other.status, 422)
    assert.equal(other.body.code, 'idempotency_key_reused')
    assert.equal(await keysNamed('another body'), 0)
  })

  test('a user whose token was renewed in between still gets the first response', async () => {
    const user = await seedUser(app.app)
    const claims = { sub: user.id, sid: formatId('ses', user.sessionUuid), workspaces: {} }
    const renewed = app.services.consoleTokens.sign(claims, 901)
    const key = randomUUID()
    const slug = `t-${key.slice(-12)}`
    const post = (token: string) =>
      app.call('POST', '/workspaces', {
        as: as.user(token),
        headers: { 'idempotency-key': key },
        body: { name: 'Acme', slug },
      })
    const first = await post(user.token)
    const again = await post(renewed)
    assert.notEqual(renewed, user.token)
    assert.deepEqual([first.status, again.status, again.text], [201, 201, first.text])
    assert.equal(again.headers['idempotent-replayed'], 'true')
  })

  test("another caller's key of the same value is unrelated", async () => {
    const key = randomUUID()
    const { other } = app.seed
    const mine = await create({ key, name: 'strangers' })
    const theirs = await create({
      key,
      name: 'strangers',
      platformKey: other.platformKey,
      workspaceId: other.id,
    })
    assert.equal(theirs.status, 201)
    assert.equal(theirs.headers['idempotent-replayed'], undefined)
    assert.notEqual(theirs.body.key, mine.body.key)
    assert.equal(await keysNamed('strangers'), 2)
  })

  test('the database holds neither the secret of the response nor the key', async () => {
    const key = randomUUID()
    const { body } = await create({ key, name: 'sealed' })
    const rows = await app.database.query<Record<string, Buffer>>(rowsOf)
    const stored = Buffer.concat(rows.flatMap((row) => Object.values(row)))
    assert.ok(rows.length > 0)
    for (const secret of [body.key, key, app.seed.platformKey, 'sealed']) {
      assert.equal(stored.includes(secret), false)
      assert.equal(stored.includes(Buffer.from(secret).toString('base64')), false)
    }
  })

  test('a stored response opens in no other row', async () => {
    const [one, two] = [randomUUID(), randomUUID()]
    await create({ key: one, name: 'swapped' })
    const before = await app.database.query<{ key_hash: Buffer }>(rowsOf)
    await create({ key: two, name: 'swapped' })
    const rows = await app.database.query<{ key_hash: Buffer; sealed: Buffer }>(rowsOf)
    const newest = rows.find((row) => !before.some((old) => old.key_hash.equals(row.key_hash)))
    const swap = unnamed('UPDATE idempotency_keys SET sealed = $1 WHERE key_hash <> $2')
    await app.database.query(swap, [newest?.sealed, newest?.key_hash])
    const again = await create({ key: one, name: 'swapped' })
    assert.equal(again.status, 422)
    assert.equal(await keysNamed('swapped'), 2)
  })

  test('a refused request stores nothing and may be corrected under its key', async () => {
    const key = randomUUID()
    const path = `/workspaces/${app.seed.id}/api-keys`
    const options = {
      as: as.platformKey(app.seed.platformKey),
      headers: { 'idempotency-key': key },
    }
    const refused = await app.call('POST', path, {
      ...options,
      body: { key_kind: 'provision', name: 'mended', template_ids: [app.seed.other.template.id] },
    })
    assert.equal(refused.status, 400)
    const corrected = await app.call('POST', path, {
      ...options,
      body: { key_kind: 'provision', name: 'mended' },
    })
    assert.equal(corrected.status, 201)
    assert.equal(await keysNamed('mended'), 1)
  })

  test('after 24 hours a key counts as new, and old responses are deleted', async () => {
    const key = randomUUID()
    const first = await create({ key, name: 'aged' })
    await app.database.query(ageAll, [23])
    assert.equal((await create({ key, name: 'aged' })).text, first.text)
    await app.database.query(ageAll, [2])
    const later = await create({ key, name: 'aged' })
    assert.equal(later.status, 201)
    assert.notEqual(later.text, first.text)
    assert.equal((await create({ key, name: 'aged' })).text, later.text)
    await expireStoredResponses(app.database)
    const rows = await app.database.query(rowsOf)
    assert.equal(rows.length, 1)
  })

  test('a key that is empty, too long or not visible ASCII is refused', async () => {
    for (const key of ['', 'x'.repeat(256), 'white space', 'ünïcode']) {
      const headers = { 'idempotency-key': Buffer.from(key).toString('latin1') }
      const result = await app.call('POST', `/workspaces/${app.seed.id}/api-keys`, {
        as: as.platformKey(app.seed.platformKey),
        headers,
        body: { key_kind: 'provision' },
      })
      assert.equal(result.status, 400, key)
      assert.equal(result.body.errors[0].pointer, '/header/idempotency-key')
    }
  })
})
