// As whom the embedded database runs: Postgres refuses root, and must work for root all the same.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chown, lstat, mkdir, mkdtemp, readFile, readlink, stat, writeFile } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  copyBinaries,
  findBinaries,
  linkLibraries,
} from '../../../src/platform/database/embedded-binaries.ts'
import { chooseIdentity } from '../../../src/platform/database/embedded-identity.ts'
import {
  eventually,
  serverProcesses,
  spawnService,
  temporaryFolder,
} from '../../support/embedded.ts'

const nobody = 65534
const unnamed = 54_321
const root = process.geteuid?.() === 0 && process.platform === 'linux'
const needsRoot = root ? false : 'only root can become another user'
const needsReadable = needsRoot || unreadableFor(nobody)
const needsNamespaces = needsRoot || refusedNamespaces()

function unreadableFor(uid: number): string | false {
  try {
    execFileSync(process.execPath, ['--version'], { uid, gid: uid, cwd: import.meta.dirname })
    return false
  } catch {
    return `the working copy can't be read by uid ${uid}`
  }
}

function refusedNamespaces(): string | false {
  try {
    execFileSync('unshare', ['--user', '--map-user=65534', 'true'])
    return false
  } catch {
    return 'user namespaces are refused here'
  }
}

async function ownerOfServer(dataDir: string): Promise<number> {
  const [pid] = await serverProcesses(join(dataDir, 'postgres'))
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/^Uid:\s*\d+\s+(\d+)/m.exec(status)?.[1])
}

async function rowsAfterKill(
  t: Parameters<typeof spawnService>[0],
  dataDir: string,
  options: Parameters<typeof spawnService>[2],
): Promise<{ uid: number; lost: string[] }> {
  const service = spawnService(t, dataDir, {
    ...options,
    flags: [...(options?.flags ?? []), '--insert'],
  })
  await service.line('acknowledged 50')
  const uid = await ownerOfServer(dataDir)
  await service.kill()
  const seen = service.lines.filter((line) => line.startsWith('acknowledged'))
  const again = spawnService(t, dataDir, options)
  await again.line('ready')
  process.kill(-(again.process.pid ?? 0), 'SIGINT')
  const count = Number((await again.line('interrupted')).split(' ')[1])
  await again.stop()
  await eventually('the end of all servers', async () => {
    return (await serverProcesses(join(dataDir, 'postgres'))).length === 0
  })
  return { uid, lost: seen.slice(count) }
}

test('root runs the database in a user namespace, below a folder only root can enter', {
  skip: needsNamespaces,
}, async (t) => {
  const dataDir = join(await temporaryFolder(t), 'data')
  const identity = await chooseIdentity({ dataDir, folder: join(dataDir, 'postgres') })
  assert.equal(identity.kind, 'namespace')
  assert.deepEqual(await rowsAfterKill(t, dataDir, {}), { uid: 0, lost: [] })
  assert.equal((await stat(join(dataDir, 'postgres'))).uid, 0)
})

test('where namespaces are refused root hands the database to another user, in the same folder', {
  skip: needsRoot,
}, async (t) => {
  const dataDir = join(await temporaryFolder(t), 'data')
  const flags = ['--other-user']
  assert.deepEqual(await rowsAfterKill(t, dataDir, { flags }), { uid: nobody, lost: [] })
  assert.equal((await stat(join(dataDir, 'postgres'))).uid, nobody)
  assert.equal((await stat(dataDir)).uid, 0)
})

test('a folder of root is handed over when namespaces are refused later, and stays so', {
  skip: needsNamespaces,
}, async (t) => {
  const dataDir = await temporaryFolder(t)
  for (const [flags, owner] of [
    [[], 0],
    [['--other-user'], nobody],
    [[], nobody],
  ] as const) {
    const service = spawnService(t, dataDir, { flags: [...flags] })
    await service.line('ready')
    assert.equal(await ownerOfServer(dataDir), owner)
    await service.stop()
  }
})

test('a plain user runs the database as itself', { skip: needsReadable }, async (t) => {
  const dataDir = await temporaryFolder(t)
  await chown(dataDir, nobody, nobody)
  const ids = { uid: nobody, gid: nobody }
  assert.deepEqual(await rowsAfterKill(t, dataDir, ids), { uid: nobody, lost: [] })
})

test('a uid without a name, as containers give out, runs the database too', {
  skip: needsReadable || needsNamespaces,
}, async (t) => {
  assert.throws(() => execFileSync('getent', ['passwd', String(unnamed)]))
  const dataDir = await temporaryFolder(t)
  await chown(dataDir, unnamed, unnamed)
  const ids = { uid: unnamed, gid: unnamed }
  assert.deepEqual(await rowsAfterKill(t, dataDir, ids), { uid: unnamed, lost: [] })
})

test("a plain user gets the name of the owner of a folder that it can't use", {
  skip: needsReadable,
}, async (t) => {
  const dataDir = await temporaryFolder(t)
  await chown(dataDir, nobody, nobody)
  await mkdir(join(dataDir, 'postgres'), { mode: 0o755 })
  const service = spawnService(t, dataDir, { uid: nobody, gid: nobody })
  assert.match(await service.line('failed'), /belongs to uid 0, and this process runs as uid 65534/)
})

test("a start by root in a plain user's data folder does not lock the user out", {
  skip: needsReadable,
}, async (t) => {
  const dataDir = await temporaryFolder(t)
  await chown(dataDir, nobody, nobody)
  const ids = { uid: nobody, gid: nobody }
  const asRoot = spawnService(t, dataDir)
  await asRoot.line('ready')
  assert.equal(await ownerOfServer(dataDir), nobody)
  await asRoot.stop()
  const asUser = spawnService(t, dataDir, ids)
  assert.equal(await asUser.line(''), 'ready')
  await asUser.stop()
})

test('a platform without a package gets instructions', async () => {
  await assert.rejects(findBinaries('plan9-mips'), /plan9-mips is not installed.*DATABASE_URL/)
})

test('links that npm did not make are made at the first start', async (t) => {
  const installed = await findBinaries()
  const package_ = await temporaryFolder(t)
  const native = join(package_, 'native')
  await mkdir(join(native, 'lib'), { recursive: true })
  const list = await readFile(join(installed.root, 'pg-symlinks.json'))
  await writeFile(join(native, 'pg-symlinks.json'), list)
  const links = JSON.parse(list.toString()) as { source: string; target: string }[]
  assert.notEqual(links.length, 0)
  for (const { source } of links) await writeFile(join(package_, source), source)
  const binaries = { root: native, version: '0' }
  assert.equal(await linkLibraries(binaries), true)
  assert.equal(await linkLibraries(binaries), true)
  for (const { source, target } of links) {
    assert.equal(await readFile(join(package_, target), 'utf8'), source)
    assert.doesNotMatch(await readlink(join(package_, target)), /\//)
  }
})

test('the copy of the programs is complete and runs for everybody', async (t) => {
  const installed = await findBinaries()
  const cache = await mkdtemp(join(tmpdir(), 'mooring-test-cache-'))
  t.after(() => execFileSync('rm', ['-rf', cache]))
  const copy = await copyBinaries(installed, [cache])
  const printed = execFileSync(join(copy.root, 'bin', 'initdb'), ['--version'], {
    encoding: 'utf8',
  })
  assert.match(printed, /PostgreSQL/)
  for (const part of ['', 'bin', 'bin/postgres', 'lib', 'share/postgresql/postgres.bki']) {
    const mode = (await lstat(join(copy.root, part))).mode
    assert.equal(mode & 0o022, 0, `${part} can be written by others`)
    assert.equal(mode & 0o044, 0o044, `${part} can't be read by others`)
  }
  const before = await stat(copy.root)
  assert.deepEqual(await copyBinaries(installed, [cache]), copy)
  assert.equal((await stat(copy.root)).ino, before.ino)
})

test('a cache that somebody else could have filled is not trusted', {
  skip: needsRoot,
}, async (t) => {
  const foreign = await temporaryFolder(t)
  await chown(foreign, nobody, nobody)
  await assert.rejects(copyBinaries(await findBinaries(), [foreign]), /belongs to another user/)
  assert.notEqual(userInfo().uid, nobody)
})
