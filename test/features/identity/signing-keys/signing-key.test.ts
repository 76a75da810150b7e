/** Signing keys: one set for all processes, and a rotation that nobody notices. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test, type TestContext } from 'node:test'
import { createTokenIssuer, type TokenIssuer } from '../../../../src/platform/access/jwt.ts'
import { createKeyring } from '../../../../src/platform/access/keyring.ts'
import { connectDatabase, type Database } from '../../../../src/platform/database/connect.ts'
import { SigningKeys } from '../../../../src/features/identity/signing-keys/signing-key.ts'
import { verifyAccessToken } from '../../../../src/features/identity/signing-keys/token-verification.ts'
import { systemClock } from '../../../../src/platform/lib/clock.ts'
import { cloneDatabase } from '../../../support/database.ts'

const ISSUER = 'service.console'

interface Process {
  signingKeys: SigningKeys
  tokens: TokenIssuer
  verify(token: string): unknown
}

interface Fixture {
  database: Database
  /** A process that shares the database; it reads the keys again only after a notification. */
  process: (masterKey?: Buffer) => Process
  states: (issuer?: string) => Promise<string[]>
}

async function setUp(t: TestContext): Promise<Fixture> {
  const database = connectDatabase({
    connection: await cloneDatabase(t),
    poolSize: 8,
    prepared: true,
    statementTimeoutMs: 30_000,
    acquireTimeoutMs: 30_000,
  })
  t.after(() => database.close())
  const shared = randomBytes(32)
  return {
    database,
    process(masterKey = shared) {
      const keyring = createKeyring(masterKey)
      const signingKeys = new SigningKeys({ db: database, keyring, reloadMs: 3_600_000 })
      t.after(() => signingKeys.stop())
      const tokens = createTokenIssuer({
        issuer: ISSUER,
        audience: 'test',
        typ: 'console-at+jwt',
        keys: () => signingKeys.keys(ISSUER),
        clock: systemClock,
      })
      const verify = (token: string) => verifyAccessToken(tokens, signingKeys, ISSUER, token)
      return { signingKeys, tokens, verify }
    },
    async states(issuer = ISSUER) {
      const { rows } = await database.pool.query<{ state: string }>(
        'SELECT state FROM signing_keys WHERE issuer = $1 ORDER BY state',
        [issuer],
      )
      return rows.map(({ state }) => state)
    },
  }
}

const sign = ({ tokens }: Process): string => tokens.sign({ sub: 'usr_1', sid: 'ses_1' }, 900)

const active = ({ signingKeys }: Process): string | undefined =>
  signingKeys.keys(ISSUER).find(({ state }) => state === 'active')?.kid

describe('signing keys', () => {
  test('ten processes that start at once make one set of keys', async (t) => {
    const { process, states } = await setUp(t)
    const processes = Array.from({ length: 10 }, () => process())
    await Promise.all(processes.map(({ signingKeys }) => signingKeys.start()))
    assert.deepEqual(await states(), ['active', 'next'])
    assert.deepEqual(await states('service.moid'), ['active', 'next'])
    assert.equal(new Set(processes.map(active)).size, 1)
    const [first, last] = [processes[0], processes[9]]
    assert.ok(first && last)
    assert.ok(last.verify(sign(first)))
  })

  test('a rotation leaves every token valid, also in processes that have not received it', async (t) => {
    const { process, states } = await setUp(t)
    const [one, other] = [process(), process()]
    await one.signingKeys.start()
    await other.signingKeys.start()
    const before = sign(one)
    await one.signingKeys.rotate(ISSUER)
    assert.deepEqual(await states(), ['active', 'next', 'retired'])
    const after = sign(one)
    assert.notEqual(active(one), active(other))
    for (const each of [one, other]) {
      assert.ok(await each.verify(before))
      assert.ok(await each.verify(after))
      assert.ok(
        await each.verify(sign(other)),
        'the token is signed with the key that another process retired',
      )
    }
  })

  test('an unknown new key is read when its token arrives', async (t) => {
    const { process } = await setUp(t)
    const [one, other] = [process(), process()]
    await one.signingKeys.start()
    await other.signingKeys.start()
    for (let round = 0; round < 3; round += 1) await one.signingKeys.rotate(ISSUER)
    const token = sign(one)
    assert.equal(other.tokens.verify(token), undefined)
    await new Promise((resolve) => setTimeout(resolve, 1_100))
    const results = await Promise.all(Array.from({ length: 50 }, () => other.verify(token)))
    assert.ok(results.every((claims) => claims !== undefined))
  })

  test('made-up kids cost the database one reading a second', async (t) => {
    const { process, database } = await setUp(t)
    const one = process()
    await one.signingKeys.start()
    await new Promise((resolve) => setTimeout(resolve, 1_100))
    const kids = Array.from({ length: 200 }, (_, index) => `unknown-${index}`)
    const reads = t.mock.method(database, 'query').mock
    const since = performance.now()
    for (const kid of kids) assert.equal(await one.signingKeys.learn(ISSUER, kid), false)
    const seconds = Math.ceil((performance.now() - since) / 1_000)
    assert.ok(reads.callCount() >= 1 && reads.callCount() <= seconds, `${reads.callCount()} reads`)
  })

  test('twenty concurrent rotations by two processes leave no gap', async (t) => {
    const { process, states } = await setUp(t)
    const [one, other] = [process(), process()]
    await one.signingKeys.start()
    await other.signingKeys.start()
    const tokens = [sign(one)]
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        (index % 2 ? one : other).signingKeys.rotate(ISSUER),
      ),
    )
    const found = await states()
    assert.equal(found.filter((state) => state === 'active').length, 1)
    assert.equal(found.filter((state) => state === 'next').length, 1)
    assert.ok(found.length > 2)
    for (const each of [one, other]) {
      await each.signingKeys.reload()
      tokens.push(sign(each))
    }
    for (const token of tokens) assert.ok(one.verify(token) && other.verify(token))
  })

  test('only a key that is old enough is replaced by itself, and by one process', async (t) => {
    const { process, states, database } = await setUp(t)
    const [one, other] = [process(), process()]
    await one.signingKeys.start()
    await other.signingKeys.start()
    await one.signingKeys.maintain()
    assert.deepEqual(await states(), ['active', 'next'])
    await database.pool.query(
      `UPDATE signing_keys SET activated_at = now() - interval '91 days' WHERE issuer = $1`,
      [ISSUER],
    )
    await Promise.all([one, other, one, other].map(({ signingKeys }) => signingKeys.maintain()))
    assert.deepEqual(await states(), ['active', 'next', 'retired'])
    assert.deepEqual(await states('service.moid'), ['active', 'next'])
  })

  test('a retired key is dropped when its last token has expired, and then refused', async (t) => {
    const { process, states, database } = await setUp(t)
    const one = process()
    await one.signingKeys.start()
    const old = sign(one)
    await one.signingKeys.rotate(ISSUER)
    await database.pool.query(
      `UPDATE signing_keys SET retired_at = now() - interval '50 minutes' WHERE state = 'retired'`,
    )
    await one.signingKeys.maintain()
    await one.signingKeys.reload()
    assert.ok(one.verify(old))
    await database.pool.query(
      `UPDATE signing_keys SET retired_at = now() - interval '61 minutes' WHERE state = 'retired'`,
    )
    await one.signingKeys.reload()
    assert.equal(await one.verify(old), undefined)
    await one.signingKeys.maintain()
    assert.deepEqual(await states(), ['active', 'next'])
  })

  test('the keys that were read last stay in use while none can be read', async (t) => {
    const { process, database } = await setUp(t)
    const one = process()
    await one.signingKeys.start()
    const token = sign(one)
    await database.pool.query('ALTER TABLE signing_keys RENAME TO gone')
    await assert.rejects(one.signingKeys.reload())
    assert.ok(one.verify(token))
    assert.ok(one.verify(sign(one)))
    for (const kid of ['other', 'another']) {
      await assert.rejects(one.signingKeys.learn(ISSUER, kid), { code: 'unavailable' })
    }
    await database.pool.query('ALTER TABLE gone RENAME TO signing_keys')
    await one.signingKeys.reload()
    assert.ok(one.verify(token))
    assert.equal(await one.signingKeys.learn(ISSUER, 'other'), false)
  })

  test('a process with another master key does not start', async (t) => {
    const { process, states } = await setUp(t)
    await process().signingKeys.start()
    await assert.rejects(process(randomBytes(32)).signingKeys.start(), /master key/)
    assert.deepEqual(await states(), ['active', 'next'])
  })
})
