/**
 * The built package in Chromium, on a page of the service's own origin: it imports the modules as
 * they are, without a bundler. Runs only where `MOORING_TEST_BROWSER` is set.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { openBrowser, skip } from '../support/browser.ts'
import { defer } from '../support/cleanup.ts'
import { newUuid } from '../../src/platform/lib/ids.ts'
import { ROOT } from '../support/sources.ts'
import { useTenants } from '../support/suite-app.ts'
import { publish } from '../support/webhook-receiver.ts'

const freshTenants = useTenants()
const run = promisify(execFile)

/** Serves the built modules below the origin of the service, as a site that embeds them does. */
async function openPage(t: TestContext, origin: string): Promise<Page> {
  const folder = await mkdtemp(join(tmpdir(), 'mooring-sdk-'))
  defer(t, () => rm(folder, { recursive: true, force: true }))
  await run(join(ROOT, 'node_modules/.bin/tsc'), ['-p', join(ROOT, 'sdk'), '--outDir', folder])
  const page = await (await openBrowser(t)).newPage()
  await page.route(`${origin}/site/**`, async (route) => {
    const name = new URL(route.request().url()).pathname.slice('/site/'.length)
    if (name === '') return route.fulfill({ contentType: 'text/html', body: '<!doctype html>' })
    const body = await readFile(join(folder, name))
    await route.fulfill({ contentType: 'text/javascript', body })
  })
  await page.goto(`${origin}/site/`)
  return page
}

test('calls, pages, events and webhooks work in a browser', { skip }, async (t) => {
  const app = await freshTenants(t)
  const page = await openPage(t, app.origin)
  const device = newUuid()
  await publish(app, [{ device, n: 7 }])
  const input = { baseUrl: app.origin, apiKey: app.seed.platformKey, id: app.seed.id }
  const result = await page.evaluate(async ({ baseUrl, apiKey, id }) => {
    const load = (name: string) => import(`/site/${name}`)
    const { createClient, MooringError } = await load('client.js')
    const { verifyWebhook, WebhookError } = await load('webhooks.js')
    const client = createClient({ baseUrl, apiKey })
    const params = { id }
    const names: string[] = []
    for await (const { model_key: model } of client.pages('listDeviceTemplates', { params })) {
      names.push(model)
    }
    const created = await client.call('createDevice', { params, body: { device_key: 'browser-1' } })
    const missing = await client
      .call('getDevice', { params: { id, device_id: 'dev_01h455vb4pex5vsknk084sn02q' } })
      .catch((error: unknown) => error)
    let streamed: unknown
    const query = { types: 'device.updated' }
    for await (const { data } of client.events('readEvents', { params, query })) {
      streamed = data.data.n
      break
    }
    const forged = await verifyWebhook({
      secret: 'whsec_AAAA',
      headers: new Headers(),
      body: '',
    }).catch((error: unknown) => error instanceof WebhookError)
    const code = missing instanceof MooringError && missing.code
    return { names, key: created.device_key, code, streamed, forged }
  }, input)
  assert.deepEqual(result, {
    names: ['sensor'],
    key: 'browser-1',
    code: 'device_not_found',
    streamed: 7,
    forged: true,
  })
})
