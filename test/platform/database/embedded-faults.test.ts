// The guarantees of the embedded database on a bad day: killed services, killed servers, and files
// that lie about who is alive.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { Client } from 'pg'
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../../src/platform/database/embedded.ts'
import {
  eventually,
  orphanServer,
  serverProcesses,
  spawnService,
  folderWithDatabase,
  temporaryFolder,
} from '../../support/embedded.ts'

async function start(t: TestContext, dataDir: string): Promise<EmbeddedPostgres> {
  const postgres = await startEmbeddedPostgres({ dataDir, log: () => {} })
  t.after(() => postgres.stop())
  return postgres
}

async function numbers(postgres: EmbeddedPostgres): Promise<Set<number>> {
  const client = new Client(postgres.connection)
  await client.connect()
  try {
    const result = await client.query<{ n: string }>('SELECT n FROM numbers')
    return new Set(result.rows.map(({ n }) => Number(n)))
  } finally {
    await client.end()
  }
}

async function postmaster(dataDir: string): Promise<number> {
  return Number.parseInt(await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8'), 10)
}

async function noProcessLeft(dataDir: string): Promise<void> {
  const folder = join(dataDir, 'postgres')
  await eventually('the end of all servers', async () => {
    return (await serverProcesses(folder)).length === 0
  })
}

function acknowledged(lines: string[]): number[] {
  return lines.filter((line) => line.startsWith('ack')).map((line) => Number(line.split(' ')[1]))
}

test('kill -9 of the service under load loses no acknowledged row', async (t) => {
  const dataDir = await folderWithDatabase(t)
  const kept = new Set<number>()
  for (let round = 0; round < 4; round += 1) {
    const service = spawnService(t, dataDir, { flags: ['--insert'] })
    await eventually('200 rows', () => acknowledged(service.lines).length >= 200)
    await service.kill()
    for (const n of acknowledged(service.lines)) kept.add(n)
  }
  const postgres = await start(t, dataDir)
  const there = await numbers(postgres)
  assert.deepEqual(
    [...kept].filter((n) => !there.has(n)),
    [],
  )
  assert.ok(kept.size >= 800)
})

test('the server of a killed service stops by itself', async (t) => {
  const dataDir = await folderWithDatabase(t)
  const service = spawnService(t, dataDir)
  await service.line('ready')
  assert.notEqual((await serverProcesses(join(dataDir, 'postgres'))).length, 0)
  await service.kill()
  await noProcessLeft(dataDir)
  // It was asked to, and so had the time to write everything down.
  assert.match(await readFile(join(dataDir, 'postgres.log'), 'utf8'), /system is shut down\s*$/)
})

test('a server whose service and watcher were both killed is taken over', async (t) => {
  const dataDir = await folderWithDatabase(t)
  const service = spawnService(t, dataDir, { flags: ['--insert'] })
  await service.line('acknowledged 50')
  const server = await orphanServer(service, dataDir)
  assert.ok((await serverProcesses(join(dataDir, 'postgres'))).includes(server))
  const postgres = await start(t, dataDir)
  assert.notEqual(await postmaster(dataDir), server)
  const there = await numbers(postgres)
  assert.ok(acknowledged(service.lines).every((n) => there.has(n)))
})

test('a killed server is noticed, and recovers at the next start', async (t) => {
  const dataDir = await folderWithDatabase(t)
  const postgres = await start(t, dataDir)
  process.kill(await postmaster(dataDir), 'SIGKILL')
  assert.deepEqual(await postgres.exited, { code: 137 })
  await postgres.stop()
  const again = await start(t, dataDir)
  assert.equal((await serverProcesses(join(dataDir, 'postgres'))).length > 0, true)
  await again.stop()
})

test('a server whose watcher was killed is stopped, and its end is reported', async (t) => {
  const dataDir = await folderWithDatabase(t)
  const postgres = await start(t, dataDir)
  process.kill(await parentOf(await postmaster(dataDir)), 'SIGKILL')
  assert.deepEqual(await postgres.exited, { code: null })
  assert.deepEqual(await serverProcesses(join(dataDir, 'postgres')), [])
})

test('files that name a living process of somebody else do not block a start', async (t) => {
  const dataDir = await folderWithDatabase(t)
  const first = await start(t, dataDir)
  const pidFile = join(dataDir, 'postgres', 'postmaster.pid')
  const lines = (await readFile(pidFile, 'utf8')).split('\n')
  await first.stop()
  const otherProcess = spawn('sleep', ['120'], { stdio: 'ignore' })
  t.after(() => end(otherProcess))
  await writeFile(pidFile, [otherProcess.pid, ...lines.slice(1)].join('\n'), { mode: 0o600 })
  await writeFile(
    join(dataDir, 'service.holder.json'),
    JSON.stringify({
      pid: otherProcess.pid,
      host: 'other-host',
      since: '2026-01-01T00:00:00.000Z',
    }),
  )
  await start(t, dataDir)
  assert.equal(otherProcess.exitCode, null)
})

test('a database that was half made when the service was killed is made again', async (t) => {
  const dataDir = await temporaryFolder(t)
  const service = spawnService(t, dataDir)
  const unfinished = await eventually('a folder in the making', async () => {
    const name = (await readdir(dataDir)).find((entry) => entry.startsWith('postgres.new-'))
    if (name === undefined) return undefined
    const files = await readdir(join(dataDir, name)).catch((): string[] => [])
    return files.includes('base') && name
  })
  await service.kill()
  assert.deepEqual(service.lines, [])
  const postgres = await start(t, dataDir)
  await postgres.stop()
  assert.ok(!(await readdir(dataDir)).includes(unfinished))
  assert.deepEqual(await serverProcesses(join(dataDir, 'postgres')), [])
})

test('Ctrl-C reaches the service and not its database', async (t) => {
  const dataDir = await folderWithDatabase(t)
  const service = spawnService(t, dataDir)
  await service.line('ready')
  assert.ok(service.process.pid)
  process.kill(-service.process.pid, 'SIGINT')
  assert.equal(await service.line('interrupted'), 'interrupted, 0')
  await service.stop()
  assert.equal(service.process.exitCode, 0)
})

async function parentOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/^PPid:\s*(\d+)$/m.exec(status)?.[1])
}

async function end(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit')
  if (child.kill('SIGKILL')) await ended
}
