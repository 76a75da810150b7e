/** Refused properties of a device: each refusal points at the member that is wrong. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatId, newUuid } from '../../../../src/platform/lib/ids.ts'
import { as, startApp } from '../../../support/app.ts'

const many = (count: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`t${index}`, 'x']))

const big = { x: 'y'.repeat(16_384) }
/** The largest own configuration, and one byte more. */
const largest = { x: 'y'.repeat(32_768 - JSON.stringify({ x: '' }).length) }
const tooLarge = { x: `${largest.x}y` }

/** The members of a row that no caller sets. */
const COLUMNS = (
  'id workspace_id status suspended_from secret_generation sessions_from claimed_at released_at ' +
  'revision created_at updated_at connected last_seen_at'
).split(' ')

/** Members of both bodies, and where the refusal points. */
const bad: [Record<string, unknown>, string][] = [
  [{ name: '' }, '/name'],
  [{ name: 'a\u0007b' }, '/name'],
  [{ name: 'x'.repeat(121) }, '/name'],
  [{ name: ['x'] }, '/name'],
  [{ template_id: 'tpl_x' }, '/template_id'],
  [{ template_id: formatId('dev', newUuid()) }, '/template_id'],
  [{ template_id: formatId('tpl', newUuid()) }, '/template_id'],
  [{ template_id: 7 }, '/template_id'],
  [{ tags: { 'a b': 'x' } }, '/tags/a b'],
  [{ tags: { '': 'x' } }, '/tags/'],
  [{ tags: { ['k'.repeat(65)]: 'x' } }, `/tags/${'k'.repeat(65)}`],
  [{ tags: { a: 1 } }, '/tags/a'],
  [{ tags: { a: ['x'] } }, '/tags/a'],
  [{ tags: { a: 'x'.repeat(257) } }, '/tags/a'],
  [{ tags: ['x'] }, '/tags'],
  [{ tags: many(65) }, '/tags'],
  [{ custom_fields: null }, '/custom_fields'],
  [{ custom_fields: [] }, '/custom_fields'],
  [{ custom_fields: big }, '/custom_fields'],
  [{ config: 'x' }, '/config'],
  [{ config: tooLarge }, '/config'],
  ...COLUMNS.map((name): [Record<string, unknown>, string] => [{ [name]: 'x' }, `/${name}`]),
]

/** Members of the creation only. */
const badAtCreation: [Record<string, unknown>, string][] = [
  [{ device_key: undefined }, '/device_key'],
  ...[
    '',
    '-a',
    '.a',
    'a/b',
    'a+b',
    'a#',
    '$SYS',
    'a b',
    'a:b',
    'a\n',
    'ä',
    '\ufeffa',
    'a\u0000',
  ].map((device_key): [Record<string, unknown>, string] => [{ device_key }, '/device_key']),
  [{ device_key: 'x'.repeat(96) }, '/device_key'],
  [{ device_key: formatId('dev', newUuid()) }, '/device_key'],
  [{ device_key: null }, '/device_key'],
  [{ hardware_id: '' }, '/hardware_id'],
  [{ hardware_id: 'a b' }, '/hardware_id'],
  [{ hardware_id: 'x'.repeat(129) }, '/hardware_id'],
  [{ template_id: null }, '/template_id'],
  [{ tags: { a: null } }, '/tags/a'],
]

test('every member is checked on creation and on change', async (t) => {
  const { call, seed } = await startApp(t)
  const caller = as.platformKey(seed.platformKey)
  const path = `/workspaces/${seed.id}/devices`
  const { body: device } = await call('POST', path, { as: caller, body: { device_key: 'good' } })
  const check = async (
    method: string,
    where: string,
    body: Record<string, unknown>,
    pointer: string,
  ): Promise<void> => {
    const response = await call(method, where, { as: caller, body })
    const received = `${method} ${JSON.stringify(body).slice(0, 80)} ${response.text}`
    assert.equal(response.status, 400, received)
    // A text with NUL is no JSON that is taken, before any member is looked at.
    if (response.body.code !== 'malformed_json')
      assert.equal(response.body.errors[0].pointer, pointer, received)
  }
  for (const [change, pointer] of [...bad, ...badAtCreation]) {
    await check('POST', path, { device_key: 'new', ...change }, pointer)
  }
  for (const [change, pointer] of bad) {
    await check('PATCH', `${path}/${device.id}`, change, pointer)
  }
  for (const name of ['device_key', 'hardware_id']) {
    await check('PATCH', `${path}/${device.id}`, { [name]: 'other' }, `/${name}`)
  }
  const { body } = await call('GET', path, { as: caller })
  assert.equal(body.items.length, 1)
  const { mqtt_credentials, device_http_token, ...view } = device
  assert.ok(mqtt_credentials && device_http_token)
  assert.deepEqual(body.items[0], view)
})

test('the bounds hold for what a change adds up to', async (t) => {
  const { call, seed } = await startApp(t)
  const caller = as.platformKey(seed.platformKey)
  const path = `/workspaces/${seed.id}/devices`
  const { body: device } = await call('POST', path, {
    as: caller,
    body: { device_key: 'k'.repeat(95), tags: many(64), config: { x: 'y'.repeat(20_000) } },
  })
  const patch = (body: unknown) => call('PATCH', `${path}/${device.id}`, { as: caller, body })
  const more = await patch({ tags: { more: 'x' } })
  assert.equal(more.status, 400)
  assert.equal(more.body.errors[0].pointer, '/tags')
  assert.equal((await patch({ tags: { more: 'x', t0: null } })).status, 200)
  const larger = await patch({ config: { z: 'y'.repeat(20_000) } })
  assert.equal(larger.status, 400)
  assert.equal(larger.body.errors[0].pointer, '/config')
  const largestPatch = await patch({ config: largest })
  assert.equal(largestPatch.status, 200, largestPatch.text)
  assert.deepEqual(largestPatch.body.config, largest)
})
