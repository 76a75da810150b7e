/** The configuration of a device: its versions, what is above what, and the way back. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { unnamed } from '../../../../src/platform/database/connect.ts'
import { mergeConfigs } from '../../../../src/features/devices/config/config-change.ts'
import { parseId } from '../../../../src/platform/lib/ids.ts'
import { as, type CallOptions, type TestApp } from '../../../support/app.ts'
import { type Fleet, registerDevice, staff } from '../../../support/commands.ts'
import { revisionOf } from '../../../support/revision.ts'
import { useTenants } from '../../../support/suite-app.ts'
import { importRows } from '../../../support/transfers.ts'

const freshTenants = useTenants()

async function start(t: Parameters<typeof freshTenants>[0]) {
  const app = await freshTenants(t)
  const device = await registerDevice(app)
  const path = device.path.replace('/commands', '')
  const call = async (method: string, below: string, options: CallOptions = {}) =>
    app.call(method, `${path}${below}`, { as: staff(app), ...options })
  const history = async () => (await call('GET', '/config/history')).body.items
  return { app, device, call, history }
}

const ownConfig = async (app: TestApp, device: Fleet) =>
  (await app.call('GET', '/devices/auth/config', { as: as.device(device.device_http_token) })).body

test('each change is a version with author and time; a call that changes nothing creates none', async (t) => {
  const { app, call, history } = await start(t)
  const fresh = await call('GET', '/config')
  assert.equal(fresh.body.version, 1)
  assert.equal(revisionOf(fresh.headers), 1)
  assert.deepEqual(await history(), [
    { version: 1, config: {}, changed_by: null, changed_at: fresh.body.changed_at },
  ])
  const owner = as.user(app.seed.owner.token)
  const replaced = await call('PUT', '/config', { as: owner, body: { config: { b: 1, a: 2 } } })
  assert.equal(replaced.status, 200, replaced.text)
  assert.equal(replaced.body.version, 2)
  assert.equal(replaced.body.changed_by, app.seed.owner.id)
  const same = await call('PUT', '/config', { body: { config: { a: 2, b: 1 } } })
  assert.deepEqual(same.body, replaced.body)
  const patched = await call('PATCH', '/config', { body: { config: { b: null, c: { d: 3 } } } })
  assert.deepEqual(patched.body.config, { a: 2, c: { d: 3 } })
  const through = await call('PATCH', '', { body: { config: { c: { e: 4 } } } })
  assert.deepEqual(through.body.config, { a: 2, c: { d: 3, e: 4 } })
  const versions = await history()
  assert.deepEqual(
    versions.map((each: { version: number; config: unknown }) => [each.version, each.config]),
    [
      [4, { a: 2, c: { d: 3, e: 4 } }],
      [3, { a: 2, c: { d: 3 } }],
      [2, { a: 2, b: 1 }],
      [1, {}],
    ],
  )
  const page = (await call('GET', '/config/history?limit=3')).body
  const rest = (await call('GET', `/config/history?limit=3&cursor=${page.next_cursor}`)).body
  assert.deepEqual([...page.items, ...rest.items], versions)
})

test('the device gets its own configuration above that of its template, and detects changes', async (t) => {
  const { app, device, call } = await start(t)
  const template = `/workspaces/${app.seed.id}/device-templates/${app.seed.template.id}`
  const setDefault = (config: unknown) =>
    app.call('PATCH', template, { as: staff(app), body: { default_config: config } })
  await setDefault({ unit: 'celsius', alarm: { at: 30 } })
  await call('PUT', '/config', { body: { config: { alarm: { off: true } } } })
  const shown = (await call('GET', '/config')).body
  assert.deepEqual(shown.effective_config, { unit: 'celsius', alarm: { off: true } })
  assert.deepEqual(shown.config, { alarm: { off: true } })
  const text = '{"alarm":{"off":true},"unit":"celsius"}'
  assert.equal(shown.sha256, createHash('sha256').update(text).digest('hex'))
  const own = await ownConfig(app, device)
  assert.deepEqual(own, { config: shown.effective_config, version: 2, sha256: shown.sha256 })
  const token = as.device(device.device_http_token)
  const poll = (etag = '') =>
    app.call('GET', '/devices/auth/config', { as: token, headers: { 'if-none-match': etag } })
  const { etag } = (await poll()).headers
  assert.deepEqual([(await poll(etag)).status, (await poll(etag)).text], [304, ''])
  await setDefault({ unit: 'kelvin' })
  const later = await poll(etag)
  assert.deepEqual([later.status, later.body.version], [200, 2])
  assert.notEqual(later.body.sha256, own.sha256)
})

test('a rollback restores an earlier version as a new one; a version that is not kept is refused', async (t) => {
  const { call, history } = await start(t)
  for (const x of [1, 2, 3]) await call('PUT', '/config', { body: { config: { x } } })
  const back = await call('POST', '/config/rollback', { body: { version: 2 } })
  assert.equal(back.status, 200, back.text)
  assert.deepEqual([back.body.version, back.body.config], [5, { x: 1 }])
  assert.equal((await history()).length, 5)
  for (const version of [6, 999_999_999]) {
    const refused = await call('POST', '/config/rollback', { body: { version } })
    assert.equal(refused.status, 400)
    assert.equal(refused.body.errors[0].pointer, '/version')
  }
})

test('a change can depend on the version, and each of many changes at once is a version', async (t) => {
  const { call, history } = await start(t)
  const put = (x: number, headers = {}) =>
    call('PUT', '/config', { body: { config: { x } }, headers })
  assert.equal((await put(1, { 'if-match': '"2"' })).status, 412)
  const racing = await Promise.all([1, 2, 3, 4, 5].map((x) => put(x, { 'if-match': '"1"' })))
  assert.equal(racing.filter(({ status }) => status === 200).length, 1)
  await Promise.all(
    [1, 2, 3, 4, 5, 6].map((x) => call('PATCH', '/config', { body: { config: { [`k${x}`]: x } } })),
  )
  const versions = await history()
  assert.deepEqual(
    versions.map(({ version }: { version: number }) => version),
    [8, 7, 6, 5, 4, 3, 2, 1],
  )
  assert.equal(Object.keys(versions[0].config).length, 7)
})

test('the last hundred versions are kept', async (t) => {
  const { app, device, call, history } = await start(t)
  const uuid = parseId('dev', device.device_id)
  await app.database.query(
    unnamed(`INSERT INTO device_configs (workspace_id, device_id, version, config)
             SELECT $1, $2, n, '{}' FROM generate_series(1, 100) AS n`),
    [app.seed.uuid, uuid],
  )
  await app.database.query(unnamed('UPDATE devices SET config_version = 100 WHERE id = $1'), [uuid])
  await call('PUT', '/config', { body: { config: { x: 1 } } })
  const { body } = await call('GET', '/config/history?limit=200')
  assert.equal(body.items.length, 100)
  assert.deepEqual([body.items[0].version, body.items.at(-1).version], [101, 2])
  assert.equal((await history()).length, 50)
})

test('many devices are changed together, each that differs with its audit entry', async (t) => {
  const { app, device } = await start(t)
  const other = await registerDevice(app)
  const ids = [device, other].map((each) => parseId('dev', each.device_id) ?? '')
  const change = (patch: Record<string, unknown>) =>
    app.database.transaction((trx) =>
      mergeConfigs(
        trx,
        { actor: { kind: 'user', id: app.seed.owner.id }, requestId: null, address: null },
        { workspaceId: app.seed.uuid, deviceIds: [...ids, app.seed.template.uuid], patch },
      ),
    )
  const first = await change({ x: 1 })
  assert.deepEqual(
    first.map(({ version }) => version),
    [2, 2],
  )
  assert.deepEqual(
    (await change({ x: 1 })).map(({ version }) => version),
    [undefined, undefined],
  )
  const entries = await app.database.query<{ detail: unknown; actor_id: string }>(
    unnamed(`SELECT detail, actor_id FROM audit_log
             WHERE workspace_id = $1 AND action = 'device.updated' ORDER BY resource_id`),
    [app.seed.uuid],
  )
  assert.equal(entries.length, 2)
  assert.deepEqual(entries[0], {
    actor_id: app.seed.owner.id,
    detail: {
      device_id: device.device_id,
      changed: ['config'],
      config_version: 2,
      before: { config: {} },
      after: { config: { x: 1 } },
    },
  })
})

test('a configuration that is too large, or no object, is refused and changes nothing', async (t) => {
  const { call } = await start(t)
  for (const config of [{ x: 'x'.repeat(33_000) }, [], null, 'x']) {
    for (const method of ['PUT', 'PATCH']) {
      const response = await call(method, '/config', { body: { config } })
      assert.equal(response.status, 400, `${method} ${response.text}`)
    }
  }
  assert.equal((await call('GET', '/config')).body.version, 1)
})

test('an integer is kept exactly or refused, from a table too; elsewhere it may be rounded', async (t) => {
  const { app, call } = await start(t)
  const put = (number: string) => call('PUT', '/config', { body: `{"config":{"n":${number}}}` })
  for (const number of ['9007199254740993', '-9007199254740993', '12345678901234567890']) {
    assert.deepEqual([(await put(number)).body.code, number], ['malformed_json', number])
  }
  for (const number of ['9007199254740991', '0.12345678901234567890', '12345678901234567e3']) {
    const { status, body } = await put(number)
    assert.deepEqual([status, body.config], [200, { n: Number(number) }])
  }
  assert.equal((await put('"9007199254740993"')).body.config.n, '9007199254740993')
  const cell = (text: string) => `device_key,config\nT,"{""n"":${text}}"\n`
  const [row] = await importRows(app, cell('9007199254740993'))
  assert.equal(row?.code, 'malformed_json')
  const line = await importRows(app, ['{"device_key":"L","config":{"n":9007199254740993}}'])
  assert.equal(line[0]?.code, 'malformed_json')
  const device = await app.call('POST', '/provision/device', {
    as: as.factory(app.seed.provisionKey),
    body: `{"device_key":"F","chip":12345678901234567890}`,
  })
  assert.equal(device.status, 201, device.text)
})
