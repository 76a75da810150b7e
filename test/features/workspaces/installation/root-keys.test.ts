/** A master key is replaced under load, by processes that may be killed: nothing is lost by it. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test, type TestContext } from 'node:test'
import { createKeyring, type RootKeys } from '../../../../src/platform/access/keyring.ts'
import {
  beginReplacement,
  fingerprintOf,
  decryptRootKeys,
  readStored,
  refuseOlderSessions,
  retireOtherKeys,
  validMasterKeys,
} from '../../../../src/features/workspaces/installation/root-keys.ts'
import { newUuid } from '../../../../src/platform/lib/ids.ts'
import { as, startApp, type TestApp } from '../../../support/app.ts'
import { databaseUrl } from '../../../support/database.ts'
import { main, start, type Started } from '../../../support/service.ts'
import { person, refresh, signIn } from '../../../support/sign-in.ts'
import { until } from '../../../support/until.ts'

const ACCOUNTS = 600
const boundTo = (id: string): string => `acme_accounts:${id}`

/** Refreshes a session repeatedly, through one process after the other, until it is stopped. */
async function refreshUntil(apps: readonly TestApp[], first: string, isOver: () => boolean) {
  let token = first
  let rounds = 0
  while (!isOver()) {
    const response = await refresh(apps[rounds % apps.length] as TestApp, token)
    assert.equal(response.status, 200, response.text)
    token = response.body.refresh_token as string
    rounds += 1
  }
  return token
}

async function registerUntil({ call, seed }: TestApp, isOver: () => boolean): Promise<void> {
  const body = { template_id: seed.template.id }
  while (!isOver()) {
    const response = await call('POST', '/provision/device', {
      as: as.factory(seed.provisionKey),
      body,
    })
    assert.equal(response.status, 201, response.text)
    const own = await call('GET', '/devices/auth/me', {
      as: as.device(response.body.device_http_token as string),
    })
    assert.equal(own.status, 200, own.text)
  }
}

/** Encrypted values under the first root key, which take a while to be encrypted again. */
async function insertAccounts({ database, masterKey }: TestApp): Promise<void> {
  const keyring = createKeyring(masterKey)
  const ids = Array.from({ length: ACCOUNTS }, newUuid)
  await database.pool.query(
    `INSERT INTO acme_accounts (id, directory_url, sealed_key)
     SELECT id, id::text, sealed FROM unnest($1::uuid[], $2::bytea[]) AS a (id, sealed)`,
    [ids, ids.map((id) => keyring.encrypt(Buffer.from(id), boundTo(id)))],
  )
  await database.pool.query(
    `CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
       PERFORM pg_sleep(0.003); RETURN NULL; END $$;
     CREATE TRIGGER slow AFTER UPDATE ON acme_accounts FOR EACH ROW EXECUTE FUNCTION slow()`,
  )
}

async function finish(t: TestContext, { database }: TestApp, masterKey: Buffer): Promise<Started> {
  const { rows } = await database.pool.query<{ name: string }>('SELECT current_database() AS name')
  return start(t, [main, 'master-key', 'finish'], {
    environment: {
      DATABASE_URL: databaseUrl(rows[0]?.name ?? ''),
      MOORING_MASTER_KEY: masterKey.toString('base64'),
    },
  })
}

async function checkAccounts({ database }: TestApp, roots: RootKeys): Promise<Set<number>> {
  const keyring = createKeyring(roots)
  const { rows } = await database.pool.query<{ id: string; sealed_key: Buffer }>(
    'SELECT id, sealed_key FROM acme_accounts',
  )
  assert.equal(rows.length, ACCOUNTS)
  for (const { id, sealed_key } of rows) {
    assert.equal(keyring.decrypt(sealed_key, boundTo(id))?.toString(), id)
  }
  return new Set(rows.map(({ sealed_key }) => sealed_key[0] as number))
}

test('one of many concurrent replacements begins, and one of two keys is the next', async (t) => {
  const app = await startApp(t)
  const db = app.database
  const [one, two] = [randomBytes(32), randomBytes(32)]
  const begun = await Promise.all(
    Array.from({ length: 20 }, (_none, at) =>
      beginReplacement(db, app.masterKey, at % 2 === 0 ? one : two),
    ),
  )
  assert.equal(begun.filter((each) => each?.isNew === true).length, 1)
  assert.equal(begun.filter((each) => each === undefined).length, 10)
  const stored = await readStored(db)
  const roots = decryptRootKeys(app.masterKey, stored)
  assert.deepEqual([roots.keys.length, roots.current], [2, 1])
  const next = stored.rows.some(({ master_key }) => master_key === fingerprintOf(one)) ? one : two
  assert.deepEqual(decryptRootKeys(next, stored), roots)
  assert.deepEqual(roots.keys[0], app.masterKey)
  const order = [app.masterKey, next].map(fingerprintOf)
  assert.deepEqual(validMasterKeys(stored), order)

  // Each key is about to become the only one: one does, and the other may not change anything.
  const both = [app.masterKey, next]
  const retired = await Promise.allSettled(both.map((key) => retireOtherKeys(db, key, 2)))
  assert.deepEqual(retired.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
  const [stays, goes] = retired[0]?.status === 'fulfilled' ? both : both.toReversed()
  const left = await readStored(db)
  assert.deepEqual(decryptRootKeys(stays as Buffer, left).keys, roots.keys)
  await assert.rejects(beginReplacement(db, goes as Buffer, randomBytes(32)), /has been replaced/)
  await assert.rejects(refuseOlderSessions(db, goes as Buffer), /has been replaced/)
  assert.deepEqual((await readStored(db)).rows.length, 2)

  // One that was about to retire the others may not retire a key that came meanwhile.
  const third = randomBytes(32)
  await beginReplacement(db, stays as Buffer, third)
  await assert.rejects(retireOtherKeys(db, stays as Buffer, 2), /began meanwhile/)
  const again = [stays as Buffer, third].map(fingerprintOf)
  assert.deepEqual(validMasterKeys(await readStored(db)), again)
})

/** Replaces the master key while sessions are refreshed and devices register. @returns the token */
async function replaceUnderLoad(apps: readonly TestApp[], next: Buffer): Promise<string> {
  const [app] = apps as [TestApp]
  const { database, masterKey } = app
  const { refresh_token: first } = await signIn(app, await person(app))
  let isOver = false
  const load = [
    refreshUntil(apps, first, () => isOver),
    ...apps.map((each) => registerUntil(each, () => isOver)),
  ] as const
  const keyrings = apps.map(({ services }) => services.keyring)
  await beginReplacement(database, masterKey, next)
  await until('both know it', () => keyrings.every((each) => each.everyMac('x').length === 2))
  // They have half a minute to learn of it; a test does not wait for the rest of that.
  await database.pool.query('UPDATE root_keys SET active_from = now() WHERE number = 2')
  await until('both use it', () => keyrings.every((each) => each.currentRoot() === 2))
  isOver = true
  const [token] = await Promise.all(load)
  return token
}

async function finishKilledOnce(t: TestContext, app: TestApp, next: Buffer, roots: RootKeys) {
  const killed = await finish(t, app, next)
  await until('new secrets are encrypted with the new root key', async () => {
    assert.equal(killed.process.exitCode, null, killed.output.stderr)
    const renewed = 'SELECT FROM acme_accounts WHERE get_byte(sealed_key, 0) = 2'
    return (await app.database.pool.query(renewed)).rows.length > 0
  })
  killed.process.kill('SIGKILL')
  await killed.ended
  assert.deepEqual(await checkAccounts(app, roots), new Set([1, 2]))
  const ended = await (await finish(t, app, next)).ended
  assert.equal(ended.code, 0, ended.stderr)
  assert.deepEqual(await checkAccounts(app, roots), new Set([2]))
}

test('no request is refused during a replacement, which continues after a kill', async (t) => {
  const first = await startApp(t)
  const { database, masterKey, connection, seed } = first
  await database.pool.query("INSERT INTO installation VALUES ('master_key_fingerprint', $1)", [
    fingerprintOf(masterKey),
  ])
  await insertAccounts(first)
  const idle = await signIn(first, await person(first))
  const next = randomBytes(32)
  const sibling = await first.sibling()
  const token = await replaceUnderLoad([first, sibling], next)
  const roots = decryptRootKeys(masterKey, await readStored(database))
  await sibling.close()
  await first.close()

  const app = await startApp(t, { connection, masterKey: next, roots, seed })
  await finishKilledOnce(t, app, next, roots)
  assert.deepEqual(decryptRootKeys(masterKey, await readStored(app.database)).keys, [])
  const again = await refresh(app, token)
  assert.equal(again.status, 200, again.text)
  const verified = await app.call('GET', `/workspaces/${seed.id}/audit-log/verify`, {
    as: as.platformKey(seed.platformKey),
  })
  assert.equal(verified.body.valid, true, verified.text)

  await refuseOlderSessions(app.database, next)
  const earlier = createKeyring(masterKey).currentMac('x')
  const { keyring } = app.services
  await until('the new root key is known', () => !keyring.isAccepted('session', earlier, 'x'))
  assert.equal((await refresh(app, idle.refresh_token)).status, 401)
  assert.equal((await refresh(app, again.body.refresh_token as string)).status, 200)
})
