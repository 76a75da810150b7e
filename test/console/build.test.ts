/**
 * When the console of a checkout is built again: in a checkout of its own, with a stand-in for Vite
 * that puts the only source where the build wants its output. Other tests check the output of Vite.
 */
import assert from 'node:assert/strict'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { suite, test, type TestContext } from 'node:test'
import { pathToFileURL } from 'node:url'
import { brotliDecompressSync } from 'node:zlib'
import { refreshConsole } from '../../src/commands/serve.ts'
import { defer } from '../support/cleanup.ts'
import { ROOT } from '../support/sources.ts'

const VITE = `
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
const out = process.argv[process.argv.indexOf('--outDir') + 1]
const source = readFileSync('src/main.ts', 'utf8')
if (source === 'broken') throw new Error('src/main.ts is broken')
mkdirSync(out)
writeFileSync(out + '/index.html', source)
`

interface Checkout {
  write: (file: string, text: string) => Promise<void>
  /** As `serve` does before it starts. @returns what it said to people */
  refresh: () => Promise<string>
  /** The built files: the document, and the one that is sent compressed. */
  built: () => Promise<[plain: string, compressed: string]>
}

async function checkOut(t: TestContext, hasVite = true): Promise<Checkout> {
  const folder = await mkdtemp(join(tmpdir(), 'mooring-console-'))
  defer(t, () => rm(folder, { recursive: true, force: true }))
  const write = async (file: string, text: string): Promise<void> => {
    await mkdir(dirname(join(folder, file)), { recursive: true })
    await writeFile(join(folder, file), text)
  }
  await write('package-lock.json', '{}')
  await write('console/package.json', '{ "type": "module" }')
  if (hasVite) {
    await write('node_modules/vite/package.json', '{ "type": "module" }')
    await write('node_modules/vite/bin/vite.js', VITE)
  }
  const build = join(folder, 'console/build.ts')
  await cp(join(ROOT, 'console/build.ts'), build)
  const dist = join(folder, 'console/dist/index.html')
  return {
    write,
    async refresh() {
      const said: string[] = []
      await refreshConsole(pathToFileURL(build), (line) => void said.push(line))
      return said.join('\n')
    },
    async built() {
      const compressed = brotliDecompressSync(await readFile(`${dist}.br`))
      return [await readFile(dist, 'utf8'), compressed.toString()]
    },
  }
}

suite('the console of a checkout', () => {
  test('is built when something has changed that it is made of, and stays otherwise', async (t) => {
    const { write, refresh, built } = await checkOut(t)
    await write('console/src/main.ts', 'first')
    assert.equal(await refresh(), '')
    assert.deepEqual(await built(), ['first', 'first'])

    // Another build would lose this.
    await write('console/dist/index.html', 'kept')
    assert.equal(await refresh(), '')
    assert.deepEqual(await built(), ['kept', 'first'])

    await write('console/src/main.ts', 'second')
    assert.equal(await refresh(), '')
    assert.deepEqual(await built(), ['second', 'second'])

    for (const file of ['package-lock.json', 'sdk/schema.ts', 'console/src/pages/new.tsx']) {
      await write('console/dist/index.html', 'stale')
      await write(file, 'changed')
      assert.equal(await refresh(), '')
      assert.deepEqual(await built(), ['second', 'second'], file)
    }
  })

  test('stays as it is where it cannot be built, and the service starts all the same', async (t) => {
    const { write, refresh, built } = await checkOut(t)
    await write('console/src/main.ts', 'good')
    await refresh()
    await write('console/src/main.ts', 'broken')
    const said = await refresh()
    assert.match(said, /^The console is not up to date\.\n.*could not be built/)
    assert.match(said, /src\/main\.ts is broken/)
    assert.deepEqual(await built(), ['good', 'good'])
  })

  test('is left alone where only what the service needs is installed', async (t) => {
    const { write, refresh, built } = await checkOut(t, false)
    await write('console/src/main.ts', 'new')
    assert.equal(await refresh(), '')
    await assert.rejects(built(), { code: 'ENOENT' })
  })
})
