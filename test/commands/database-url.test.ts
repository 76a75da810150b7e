/** Services on a DATABASE_URL: several on one database, of which one sets it up. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { copyFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import pg from 'pg'
import { migrate } from '../../src/platform/database/migrate.ts'
import { as } from '../support/app.ts'
import { emptyDatabaseUrl } from '../support/database.ts'
import {
  newDataDir,
  printedOwner,
  runMooring,
  type Service,
  signIn,
  startService,
} from '../support/service.ts'

test('one of several services that start at once on an empty database makes the owner', async (t) => {
  const url = await emptyDatabaseUrl(t)
  const environment = {
    DATABASE_URL: url,
    MOORING_MASTER_KEY: randomBytes(32).toString('base64'),
    MOORING_DATABASE_POOL_SIZE: '4',
  }
  const dataDirs = [await newDataDir(t), await newDataDir(t), await newDataDir(t)]
  const services = await Promise.all(
    dataDirs.map((dataDir) => startService(t, dataDir, { environment })),
  )
  const first = services.filter(({ output }) => /Password/.test(output.stdout))
  assert.equal(first.length, 1)
  const owner = printedOwner(first[0] as Service)
  for (const service of services) {
    const headers = await signIn(service, owner)
    const { body } = await service.call('GET', '/workspaces', { headers })
    assert.equal(body.items.length, 1)
  }

  const made = await runMooring(
    t,
    ['keys', 'create', '--workspace', 'main', '--kind', 'platform'],
    {
      environment,
    },
  )
  assert.equal(made.code, 0, made.stderr)
  for (const service of services) {
    const key = as.platformKey(made.stdout.trim())
    assert.equal((await service.call('GET', '/workspaces', { as: key })).status, 200)
  }
  for (const ended of await Promise.all(services.map((service) => service.stop()))) {
    assert.equal(ended.code, 0, ended.stderr)
  }
})

test('the key of the first service is asked of every other one', async (t) => {
  const url = await emptyDatabaseUrl(t)
  const environment = { DATABASE_URL: url, MOORING_DATABASE_POOL_SIZE: '4' }
  const dataDir = await newDataDir(t)
  const unreachable = await runMooring(t, ['serve'], {
    environment: { ...environment, MOORING_DATA_DIR: '/dev/null' },
  })
  assert.deepEqual([unreachable.code, unreachable.stdout], [2, ''])
  assert.match(unreachable.stderr, /^mooring: MOORING_DATA_DIR names a file instead of a folder$/m)
  const first = await startService(t, dataDir, { environment })
  assert.match(first.output.stdout, /Other processes on this database need the same key/)

  const otherDir = await newDataDir(t)
  const other = () =>
    runMooring(t, ['serve'], { environment: { ...environment, MOORING_DATA_DIR: otherDir } })
  const refused = await other()
  assert.equal(refused.code, 1)
  assert.match(refused.stderr, /^mooring: There is no master key here[^\n]*\n$/)
  assert.equal((await other()).stderr, refused.stderr, 'no key was made by the first try')

  await mkdir(otherDir)
  await copyFile(join(dataDir, 'master.key'), join(otherDir, 'master.key'))
  await startService(t, otherDir, { environment })
})

test('pending migrations are listed, and those on which earlier versions cannot continue', async (t) => {
  const url = await emptyDatabaseUrl(t)
  const connect = async (): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    return client
  }
  const folder = new URL('../../migrations/', import.meta.url)
  await migrate(connect, folder, () => {}, undefined, 66)
  const environment = { DATABASE_URL: url }
  const { code, stdout, stderr } = await runMooring(t, ['migrate', '--dry-run'], { environment })
  assert.equal(code, 0, stderr)
  assert.match(stdout, /^0067-\S+\.sql\n/)
  assert.match(stderr, /^Not compatible with earlier versions: 0067-\S+\.sql/)
})

test('`mooring migrate` prepares a database, and an account made then is the first one', async (t) => {
  const environment = {
    DATABASE_URL: await emptyDatabaseUrl(t),
    MOORING_DATABASE_POOL_SIZE: '4',
  }
  const early = await runMooring(t, ['accounts', 'create', '--email', 'a@b.io'], { environment })
  assert.match(early.stderr, /lacks \d+ migrations/)
  const pending = await runMooring(t, ['migrate', '--dry-run'], { environment })
  assert.match(pending.stdout, /^0001-\S+\.sql\n/)
  const migrated = await runMooring(t, ['migrate'], { environment })
  assert.equal(migrated.code, 0, migrated.stderr)
  const again = await runMooring(t, ['migrate'], { environment })
  assert.equal(again.stderr, 'The database is up to date.\n')

  const made = await runMooring(t, ['accounts', 'create', '--email', 'a@b.io'], { environment })
  const service = await startService(t, await newDataDir(t), { environment })
  assert.doesNotMatch(service.output.stdout, /Password/)
  await signIn(service, { email: 'a@b.io', password: made.stdout.trim(), workspace: '' })
})
