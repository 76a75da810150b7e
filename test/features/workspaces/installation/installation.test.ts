/** The first start: all of it or nothing, once, and with one master key for ever. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test, type TestContext } from 'node:test'
import { createPasswordHasher } from '../../../../src/platform/access/passwords.ts'
import { createChangeFeed } from '../../../../src/platform/database/change-feed.ts'
import { connectDatabase } from '../../../../src/platform/database/connect.ts'
import {
  requireKeys,
  type FirstOwner,
  setUpInstallation,
} from '../../../../src/features/workspaces/installation/installation.ts'
import { systemClock } from '../../../../src/platform/lib/clock.ts'
import { defer } from '../../../support/cleanup.ts'
import { cloneDatabase } from '../../../support/database.ts'

const owner: FirstOwner = {
  isInitial: false,
  email: 'owner@example.com',
  password: 'a lamp beside seven seas',
  workspace: { name: 'Main', slug: 'main' },
}

async function openServices(t: TestContext) {
  const db = connectDatabase({
    connection: await cloneDatabase(t),
    poolSize: 8,
    prepared: true,
    statementTimeoutMs: 30_000,
    acquireTimeoutMs: 30_000,
  })
  defer(t, () => db.close())
  const feed = createChangeFeed({ db, clock: systemClock })
  const count = async (table: string): Promise<number> => {
    const { rows } = await db.pool.query<{ found: number }>(
      `SELECT count(*)::int AS found FROM ${table}`,
    )
    return rows[0]?.found ?? 0
  }
  return { services: { db, feed, passwords: createPasswordHasher() }, count }
}

/** Where a process keeps its key: each has a place of its own. */
function keysOf(given?: Buffer) {
  let key = given
  const found = (bytes: Buffer) => ({ key: bytes, place: 'the test' })
  return {
    find: () => key && found(key),
    create: () => found((key = randomBytes(32))),
  }
}

test('one of many starts at once makes the owner, and all with the same key continue', async (t) => {
  const { services, count } = await openServices(t)
  const key = randomBytes(32)
  const kept: FirstOwner[] = []
  const all = await Promise.all(
    Array.from({ length: 8 }, () =>
      setUpInstallation(services, {
        keys: keysOf(key),
        owner,
        keep: (made) => void kept.push(made),
      }),
    ),
  )
  assert.equal(all.filter((each) => each.owner !== undefined).length, 1)
  assert.equal(kept.length, 1)
  assert.ok(all.every(({ masterKey }) => masterKey.equals(key)))
  for (const table of ['users', 'workspaces', 'memberships']) assert.equal(await count(table), 1)
})

test('one of many starts with keys of their own succeeds, and only that has made a key', async (t) => {
  const { services, count } = await openServices(t)
  const places = Array.from({ length: 6 }, () => keysOf())
  const outcomes = await Promise.allSettled(
    places.map((keys) => setUpInstallation(services, { keys, owner, keep: () => {} })),
  )
  assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1)
  assert.equal(places.filter(({ find }) => find() !== undefined).length, 1)
  assert.equal(await count('users'), 1)
})

test('an owner is not created if the password cannot be stored', async (t) => {
  const { services, count } = await openServices(t)
  const keys = keysOf()
  const keep = (): void => {
    throw new Error('the disk is full')
  }
  await assert.rejects(setUpInstallation(services, { keys, owner, keep }), /the disk is full/)
  for (const table of ['users', 'workspaces', 'installation', 'audit_log']) {
    assert.equal(await count(table), 0, table)
  }
  const again = await setUpInstallation(services, { keys, owner, keep: () => {} })
  assert.deepEqual(again.owner, owner)
})

test('a database that was set up refuses another key, and a start without one', async (t) => {
  const { services } = await openServices(t)
  const keys = keysOf()
  await assert.rejects(requireKeys(services.db, keys), /was not set up yet/)
  const { masterKey } = await setUpInstallation(services, { keys, owner, keep: () => {} })
  assert.deepEqual((await requireKeys(services.db, keys)).masterKey, masterKey)
  const other = { keys: keysOf(randomBytes(32)), owner, keep: () => {} }
  await assert.rejects(setUpInstallation(services, other), /is not the one/)
  const none = { keys: keysOf(), owner, keep: () => {} }
  await assert.rejects(setUpInstallation(services, none), /There is no master key here/)
  assert.equal(none.keys.find(), undefined)
})
