/** The limits of a provision key: each holds for every use, and widens nothing else. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { formatId, newUuid } from '../../../../src/platform/lib/ids.ts'
import { as, type CallResult, type TestApp } from '../../../support/app.ts'
import { useApp } from '../../../support/suite-app.ts'

describe('a provision key that is limited', () => {
  const get = useApp()

  async function keyWith(app: TestApp, limits: Record<string, unknown>): Promise<string> {
    const { status, body, text } = await app.call('POST', `/workspaces/${app.seed.id}/api-keys`, {
      as: as.platformKey(app.seed.platformKey),
      body: { key_kind: 'provision', ...limits },
    })
    assert.equal(status, 201, text)
    return body.key as string
  }

  const provision = (app: TestApp, key: string, body: Record<string, unknown>) =>
    app.call('POST', '/provision/device', { as: as.factory(key), body })

  const register = (app: TestApp, key: string, more: Record<string, unknown> = {}) =>
    provision(app, key, { template_id: app.seed.template.id, ...more })

  const templates = (app: TestApp, key: string, query = '') =>
    app.call('GET', `/provision/device-templates${query}`, { as: as.factory(key) })

  function refused({ status, body, text }: CallResult): void {
    assert.equal(status, 403, text)
    assert.equal(body.code, 'key_scope_denied', text)
  }

  async function secondTemplate(app: TestApp): Promise<string> {
    const made = await app.call('POST', `/workspaces/${app.seed.id}/device-templates`, {
      as: as.platformKey(app.seed.platformKey),
      body: { model_key: `m-${newUuid().slice(-8)}`, name: 'Other', serial_format: 'O-%6r' },
    })
    assert.equal(made.status, 201, made.text)
    return made.body.id as string
  }

  test('to one action does that, and not the other', async () => {
    const app = get()
    const registering = await keyWith(app, { actions: ['register'] })
    const rotating = await keyWith(app, { actions: ['rotate'] })
    const made = await register(app, registering)
    assert.equal(made.status, 201, made.text)
    const { device_id } = made.body as { device_id: string }
    refused(await provision(app, registering, { device_id }))
    assert.equal((await provision(app, rotating, { device_id })).status, 200)
    refused(await register(app, rotating))
  })

  test('to templates registers from those, shows those, and rotates their devices only', async () => {
    const app = get()
    const other = await secondTemplate(app)
    const key = await keyWith(app, { template_ids: [app.seed.template.id] })
    assert.equal((await register(app, key)).status, 201)
    refused(await provision(app, key, { template_id: other }))
    const bare = { device_key: `bare-${newUuid()}` }
    refused(await provision(app, key, bare))
    assert.equal((await provision(app, await keyWith(app, {}), bare)).status, 201)
    const shown = await templates(app, key)
    assert.deepEqual(
      shown.body.items.map(({ id }: { id: string }) => id),
      [app.seed.template.id],
    )
    const elsewhere = await provision(app, app.seed.provisionKey, { template_id: other })
    const { device_id } = elsewhere.body as { device_id: string }
    const rotation = await provision(app, key, { device_id })
    assert.ok([403, 404].includes(rotation.status), rotation.text)
  })

  test('to networks works from those and from nowhere else', async () => {
    const app = get()
    const here = await keyWith(app, { allowed_cidrs: ['10.0.0.0/8', '127.0.0.0/8'] })
    const there = await keyWith(app, { allowed_cidrs: ['10.0.0.0/8', '::1', '2001:db8::/32'] })
    assert.equal((await register(app, here)).status, 201)
    assert.equal((await templates(app, here)).status, 200)
    refused(await register(app, there))
    refused(await templates(app, there))
    refused(await provision(app, there, { device_id: formatId('dev', newUuid()) }))
  })

  test('names its own workspace or none', async () => {
    const app = get()
    const key = await keyWith(app, {})
    assert.equal((await register(app, key, { workspace_id: app.seed.id })).status, 201)
    refused(await register(app, key, { workspace_id: app.seed.other.id }))
    refused(await register(app, key, { workspace_id: formatId('ws', newUuid()) }))
    refused(await templates(app, key, `?workspace_id=${app.seed.other.id}`))
    assert.equal((await templates(app, key, `?workspace_id=${app.seed.id}`)).status, 200)
  })

  test('is refused row by row in a stream, as it is alone', async () => {
    const app = get()
    const key = await keyWith(app, { actions: ['register'], template_ids: [app.seed.template.id] })
    const other = await secondTemplate(app)
    const rows = [
      { template_id: app.seed.template.id },
      { template_id: other },
      { template_id: app.seed.template.id, workspace_id: app.seed.other.id },
    ]
    const { status, text } = await app.call('POST', '/provision/devices', {
      as: as.factory(key),
      headers: { 'content-type': 'application/x-ndjson' },
      body: rows.map((row) => JSON.stringify(row)).join('\n'),
    })
    assert.equal(status, 200, text)
    const results = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { status: number })
    assert.deepEqual(
      results.map((result) => result.status),
      [201, 403, 403],
      text,
    )
  })
})
