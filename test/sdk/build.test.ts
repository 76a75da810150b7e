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

/** The Node of the tests, and the oldest that the manifest allows, where there is one. */
const runtimes = new Set([process.execPath, process.env.MOORING_TEST_NODE_20 ?? process.execPath])

/** Everything that a client does: calls, pages, rows, streams, waits, a refusal, a signature. */
const PROGRAM = `
  import { createClient, MooringError } from './client.js'
  import { keepSession } from './session.js'
  import { verifyWebhook, WebhookError } from './webhooks.js'
  const [baseUrl, apiKey, id] = process.argv.slice(2)
  const client = createClient({ baseUrl, apiKey })
  const params = { id }
  const { items } = await client.call('listWorkspaces')
  const device_key = 'of-' + process.versions.node.replaceAll('.', '-')
  const device = await client.call('createDevice', { params, body: { device_key } })
  const models = []
  for await (const each of client.pages('listDeviceTemplates', { params })) {
    models.push(each.model_key)
  }
  const rows = []
  for await (const row of client.rows('exportDevices', { params })) rows.push(row.device_key)
  const refusal = await client
    .call('getDevice', { params: { id, device_id: 'dev_01h455vb4pex5vsknk084sn02q' } })
    .catch((error) => error instanceof MooringError && error.code)
  const end = new AbortController()
  let streamed
  for await (const { type } of client.events('watchLive', { params, signal: end.signal })) {
    streamed = type
    break
  }
  const waiting = client
    .poll('readEvents', { params, query: { after: 'latest' }, signal: end.signal }, () => false)
    .catch((error) => error.message)
  end.abort(new Error('enough'))
  const headers = new Headers()
  const forged = await verifyWebhook({ secret: 'whsec_AAAA', headers, body: '' })
    .catch((error) => error instanceof WebhookError)
  const answer = {
    isOwn: items[0].id === id,
    isExported: rows.includes(device.device_key),
    models, refusal, streamed, aborted: await waiting, forged, keepSession: typeof keepSession,
  }
  console.log(JSON.stringify(answer))
`
const EXPECTED = {
  isOwn: true,
  isExported: true,
  models: ['sensor'],
  refusal: 'device_not_found',
  streamed: 'ready',
  aborted: 'enough',
  forged: true,
  keepSession: 'function',
}

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
  await writeFile(join(folder, 'program.js'), PROGRAM)
  for (const node of runtimes) {
    const args = [join(folder, 'program.js'), origin, seed.platformKey, seed.id]
    const { stdout } = await run(node, args)
    assert.deepEqual(JSON.parse(stdout), EXPECTED, node)
  }
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
