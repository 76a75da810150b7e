/** A data folder whose database is not there: a volume that was not mounted, or a first start. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { startEmbeddedPostgres } from '../../src/platform/database/embedded.ts'
import { newDataDir, preparedDataDir, printedOwner, runMooring } from '../support/service.ts'
import { signIn, startService } from '../support/service.ts'

const disable = ['accounts', 'disable', '--email', 'ada@example.com']

const free = {
  MOORING_HTTP_PORT: '0',
  MOORING_OPERATOR_PORT: '0',
  MOORING_MQTT_PORT: '0',
}

test('a master key without its database starts no new installation', async (t) => {
  const dataDir = await preparedDataDir(t)
  const first = await startService(t, dataDir)
  const owner = printedOwner(first)
  assert.equal((await first.stop()).code, 0)
  const folder = join(dataDir, 'postgres')
  await rename(folder, join(dataDir, 'unmounted'))
  const environment = { ...free, MOORING_DATA_DIR: dataDir }
  const refusal = new RegExp(
    `^mooring: There is no database in ${folder}, but ${dataDir}/master\\.key belongs to one\\..*\\n$`,
  )
  const missing = await runMooring(t, ['serve'], { environment })
  assert.match(missing.stderr, refusal)
  assert.equal(missing.code, 1)
  await mkdir(folder)
  const empty = await runMooring(t, ['serve'], { environment })
  assert.match(empty.stderr, refusal)
  assert.equal(empty.code, 1)
  for (const args of [disable, ['migrate', '--dry-run']]) {
    const command = await runMooring(t, args, { environment })
    assert.match(command.stderr, refusal)
    assert.equal(command.code, 1)
  }
  assert.deepEqual(await readdir(folder), [])
  await rm(folder, { recursive: true })
  await rename(join(dataDir, 'unmounted'), folder)
  const again = await startService(t, dataDir)
  await signIn(again, owner)
  assert.equal((await again.stop()).code, 0)
})

test('a first start that was killed after it had written the master key is continued', async (t) => {
  // The state after such a kill: the key is written inside the first transaction on the new
  // database.
  const dataDir = await newDataDir(t)
  const postgres = await startEmbeddedPostgres({ dataDir, log: () => {} })
  await postgres.stop()
  const key = `${randomBytes(32).toString('base64')}\n`
  await writeFile(join(dataDir, 'master.key'), key, { mode: 0o600 })
  const service = await startService(t, dataDir)
  await signIn(service, printedOwner(service))
  assert.equal((await service.stop()).code, 0)
})

test('a key file that is a folder is named', async (t) => {
  const dataDir = await preparedDataDir(t)
  const postgres = await startEmbeddedPostgres({ dataDir, log: () => {} })
  await postgres.stop()
  await mkdir(join(dataDir, 'master.key'))
  const { code, stderr } = await runMooring(t, ['serve'], {
    environment: { ...free, MOORING_DATA_DIR: dataDir },
  })
  assert.equal(code, 1)
  assert.match(stderr, /The master key cannot be read: .*\/master\.key is a folder\.\n$/)
})
