// Lock files that a killed server leaves, and servers that do not stop.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { access, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type TestContext, test } from 'node:test'
import { Client } from 'pg'
import { waitForEarlierServer } from '../../../src/platform/database/earlier-server.ts'
import { DataFolderInUse, startEmbeddedPostgres } from '../../../src/platform/database/embedded.ts'
import {
  eventually,
  folderWithDatabase,
  orphanServer,
  serverProcesses,
  spawnService,
} from '../../support/embedded.ts'

const LOCK = '.s.PGSQL.5432.lock'
const silent = (): void => {}

/** As a server of process `pid` leaves its lock of the socket when it is killed. */
async function leaveLock(folder: string, pid: number): Promise<void> {
  const text = `${pid}\n${folder}\n1767225600\n5432\n.\n`
  await writeFile(join(folder, LOCK), text, { mode: 0o600 })
}

/** A process that has ended and whose parent does not ask for its status. */
async function makeZombie(t: TestContext): Promise<number> {
  const parent = spawn('sh', ['-c', 'sleep 600 & echo $!; exec sleep 600'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  t.after(async () => {
    const ended = once(parent, 'exit')
    if (parent.kill('SIGKILL')) await ended
  })
  const [line] = (await once(createInterface({ input: parent.stdout }), 'line')) as [string]
  const pid = Number(line)
  // From then on nobody waits for its end.
  const program = `/proc/${parent.pid}/comm`
  await eventually('the parent', async () => (await readFile(program, 'utf8')) === 'sleep\n')
  process.kill(pid, 'SIGKILL')
  await eventually('a zombie', async () =>
    /^\d+ \(.*\) Z /.test(await readFile(`/proc/${pid}/stat`, 'utf8')),
  )
  return pid
}

const named: readonly (readonly [string, (t: TestContext) => number | Promise<number>])[] = [
  // In a container process ids repeat: the new service may have the id of the old server.
  ['this process', () => process.pid],
  ['the parent of this process', () => process.ppid],
  ['the first process', () => 1],
  ['a zombie', makeZombie],
]

for (const [name, find] of named) {
  test(`a lock of the socket that names ${name} does not block a start`, async (t) => {
    const dataDir = await folderWithDatabase(t)
    const made = await startEmbeddedPostgres({ dataDir, log: silent })
    await made.stop()
    await leaveLock(join(dataDir, 'postgres'), await find(t))
    const postgres = await startEmbeddedPostgres({ dataDir, log: silent })
    t.after(() => postgres.stop())
    const client = new Client(postgres.connection)
    await client.connect()
    await client.end()
  })
}

test('the lock of a server that runs is left to it', async (t) => {
  const dataDir = await folderWithDatabase(t)
  const service = spawnService(t, dataDir)
  await service.line('ready')
  const path = join(dataDir, 'postgres', LOCK)
  const before = await readFile(path, 'utf8')
  await assert.rejects(startEmbeddedPostgres({ dataDir, log: silent }), DataFolderInUse)
  assert.equal(await readFile(path, 'utf8'), before)
  await service.stop()
})

test('an orphan that only its lock of the socket names is stopped before the lock goes', async (t) => {
  const dataDir = await folderWithDatabase(t)
  const folder = join(dataDir, 'postgres')
  const service = spawnService(t, dataDir)
  await service.line('ready')
  const server = await orphanServer(service, dataDir)
  await rm(join(folder, 'postmaster.pid'))
  assert.ok((await serverProcesses(folder)).includes(server))
  await waitForEarlierServer(folder, 5432, silent)
  assert.deepEqual(await serverProcesses(folder), [])
  await assert.rejects(access(join(folder, LOCK)))
})

test('waiting for a server that hangs is reported at once and again, with what to do', async (t) => {
  const dataDir = await folderWithDatabase(t)
  const folder = join(dataDir, 'postgres')
  const service = spawnService(t, dataDir)
  await service.line('ready')
  const server = await orphanServer(service, dataDir)
  process.kill(server, 'SIGSTOP')
  const lines: string[] = []
  const waiting = waitForEarlierServer(folder, 5432, (line) => lines.push(line), {
    noticeEvery: 100,
  })
  await eventually('a third line', () => lines.length >= 3)
  process.kill(server, 'SIGCONT')
  await waiting
  for (const line of lines) {
    assert.match(
      line,
      /^waiting for an earlier Postgres on .* to stop \(processes .*\), for \d+ of/,
    )
    assert.match(line, new RegExp(`end it with: kill -9 .*\\b${server}\\b`))
  }
  assert.deepEqual(await serverProcesses(folder), [])
})

test('a server that never stops ends the start with what to do', async (t) => {
  const dataDir = await folderWithDatabase(t)
  const folder = join(dataDir, 'postgres')
  const service = spawnService(t, dataDir)
  await service.line('ready')
  const server = await orphanServer(service, dataDir)
  process.kill(server, 'SIGSTOP')
  try {
    const timeouts = { interruptAfter: 0, quitAfter: 0, giveUpAfter: 0 }
    await assert.rejects(
      waitForEarlierServer(folder, 5432, silent, timeouts),
      /does not stop\. End it.*: kill -9 /,
    )
    // Its files stay: it still runs.
    await access(join(folder, 'postmaster.pid'))
  } finally {
    for (const pid of await serverProcesses(folder)) process.kill(pid, 'SIGKILL')
    await eventually('its end', async () => (await serverProcesses(folder)).length === 0)
  }
})
