/** Archives that the system's `tar` opens, and whose damage is found and named. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { readTar, type TarFile, tarEnd, tarEntry } from '../../../src/platform/backup/tar.ts'

const files: TarFile[] = [
  { name: 'a.json', body: Buffer.from('{}') },
  { name: 'tables/b/000001.copy.gz', body: Buffer.alloc(100_000, 'b') },
  { name: 'empty', body: Buffer.alloc(0) },
]
const archive = Buffer.concat([...files.map((file) => tarEntry(file, 1_700_000_000_000)), tarEnd])

/** In chunks that fit no block. */
async function* chunks(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += 777) yield bytes.subarray(at, at + 777)
}

async function read(bytes: Buffer): Promise<TarFile[]> {
  const found: TarFile[] = []
  for await (const file of readTar(chunks(bytes))) found.push(file)
  return found
}

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'mooring-tar-'))
  t.after(() => rmSync(path, { recursive: true }))
  return path
}

test('a written archive can be read, and tar extracts the same', async (t) => {
  assert.deepEqual(await read(archive), files)
  const path = folder(t)
  writeFileSync(join(path, 'all.tar'), archive)
  execFileSync('tar', ['xf', 'all.tar'], { cwd: path })
  for (const { name, body } of files) assert.deepEqual(readFileSync(join(path, name)), body)
})

test('an archive that ends early, anywhere, is incomplete', async () => {
  for (const end of [0, 100, 512, 600, 1024, 50_000, archive.length - 1024]) {
    await assert.rejects(read(archive.subarray(0, end)), /The backup is incomplete/)
  }
})

test('a damaged header is found, and the file before it named', async () => {
  for (const at of [1024, 1024 + 124, 1024 + 257]) {
    const damaged = Buffer.from(archive)
    damaged[at] = (damaged[at] ?? 0) ^ 1
    await assert.rejects(read(damaged), /damaged after a\.json/)
  }
})
