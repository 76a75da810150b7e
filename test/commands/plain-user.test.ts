/** The service as a user that is not root, when the tests themselves run as root. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, chown, mkdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { setUpByLink } from '../support/first-setup.ts'
import { newDataDir, printedOwner, runMooring, signIn, startService } from '../support/service.ts'
import { ROOT } from '../support/sources.ts'
import { until } from '../support/until.ts'

const nobody = 65_534

function reasonToSkip(): string | false {
  if (process.geteuid?.() !== 0) return 'the other tests run as a plain user already'
  const { status } = spawnSync(process.execPath, ['--version'], {
    uid: nobody,
    gid: nobody,
    cwd: ROOT,
  })
  return status === 0 ? false : 'the project lies where another user cannot read'
}

test('a plain user starts the service in a folder of its own', {
  skip: reasonToSkip(),
}, async (t) => {
  const dataDir = await newDataDir(t, nobody)
  const service = await startService(t, dataDir, { uid: nobody })
  await signIn(service, printedOwner(service))
  for (const name of ['master.key', 'first-owner.txt', 'postgres']) {
    assert.equal((await stat(join(dataDir, name))).uid, nobody, name)
  }
  assert.equal((await service.stop()).code, 0)
})

test('a file of the first owner that cannot be removed is logged, until a start removes it', {
  skip: reasonToSkip(),
}, async (t) => {
  const dataDir = await newDataDir(t, nobody)
  const options = { uid: nobody, environment: { MOORING_CONSOLE: 'on' } }
  const service = await startService(t, dataDir, options)
  await chown(dataDir, 0, 0)
  await chmod(dataDir, 0o755)
  await setUpByLink(service)
  await until('the log says so', () =>
    /"the file of the first owner could not be removed".*EACCES/.test(service.output.stderr),
  )
  const file = join(dataDir, 'first-owner.txt')
  assert.ok(existsSync(file))
  await chown(dataDir, nobody, nobody)
  await service.stop()
  await startService(t, dataDir, options)
  assert.ok(!existsSync(file))
})

test('a plain user gets a message about a data folder of another user', {
  skip: reasonToSkip(),
}, async (t) => {
  const dataDir = await newDataDir(t, nobody)
  await mkdir(dataDir, { mode: 0o700 })
  for (const command of ['serve', 'usage recompute']) {
    const { code, stderr } = await runMooring(t, command.split(' '), {
      environment: { MOORING_DATA_DIR: dataDir },
      uid: nobody,
    })
    assert.equal(code, 2)
    assert.match(
      stderr,
      /^mooring: MOORING_DATA_DIR names a folder that cannot be used: this user has no permission to [^\n]+\n$/,
    )
  }
})
