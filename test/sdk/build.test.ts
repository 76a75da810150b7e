/** The package as it is built: plain modules without dependencies, for browsers and older Node. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import { defer } from '../support/cleanup.ts'
import { ROOT } from '../support/sources.ts'
import { useTenants } from '../support/suite-app.ts'

const run = promisify(execFile)
const freshTenants = useTenants()

/** Compiles it with the types of browsers, and none of Node. */
async function build(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'mooring-sdk-'))
  defer(t, () => rm(folder, { recursive: true, force: true }))
  await run(join(ROOT, 'node_modules/.bin/tsc'), ['-p', join(ROOT, 'sdk'), '--outDir', folder])
  await writeFile(join(folder, 'package.json'), '{"type":"module"}')
  return folder
}

test('the built modules import nothing but each other, and call the service', async (t) => {
  const folder = await build(t)
  const scripts = (await readdir(folder)).filter((name) => name.endsWith('.js'))
  for (const name of scripts) {
    const text = await readFile(join(folder, name), 'utf8')
    const imported = [...text.matchAll(/^(?:import|export) [^;]*? from '([^']*)'/gm)]
    for (const [, from = ''] of imported) assert.match(from, /^\.\/[\w-]+\.js$/, name)
  }
  const { origin, seed } = await freshTenants(t)
  const program = `
    import { createClient } from './client.js'
    const [baseUrl, apiKey] = process.argv.slice(2)
    const { items } = await createClient({ baseUrl, apiKey }).call('listWorkspaces')
    console.log(items[0].id)
  `
  await writeFile(join(folder, 'program.js'), program)
  const { stdout } = await run(process.execPath, [
    join(folder, 'program.js'),
    origin,
    seed.platformKey,
  ])
  assert.equal(stdout, `${seed.id}\n`)
})

test('the package exports what the build writes', async (t) => {
  const folder = await build(t)
  const built = new Set(await readdir(folder))
  const { exports } = JSON.parse(await readFile(join(ROOT, 'sdk/package.json'), 'utf8')) as {
    exports: Record<string, string | Record<string, string>>
  }
  const names = Object.values(exports).flatMap((each) =>
    typeof each === 'string' ? [] : Object.values(each),
  )
  assert.ok(names.length > 0)
  for (const name of names) assert.ok(built.has(name.replace('./dist/', '')), name)
})
