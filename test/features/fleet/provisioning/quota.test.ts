/** `device_quota` of a provision key: exactly that many devices, however they are registered. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { newUuid } from '../../../../src/platform/lib/ids.ts'
import { as, type CallResult, type TestApp } from '../../../support/app.ts'
import { useApp } from '../../../support/suite-app.ts'

const getApp = useApp()

interface Key {
  path: string
  key: string
}

async function keyOf({ call, seed }: TestApp, device_quota: number): Promise<Key> {
  const keys = `/workspaces/${seed.id}/api-keys`
  const { body, text } = await call('POST', keys, {
    as: as.platformKey(seed.platformKey),
    body: { key_kind: 'provision', device_quota },
  })
  assert.equal(body.devices_registered, 0, text)
  return { path: `${keys}/${body.id}`, key: body.key }
}

const register = ({ call, seed }: TestApp, { key }: Key, more: object = {}): Promise<CallResult> =>
  call('POST', '/provision/device', {
    as: as.factory(key),
    body: { template_id: seed.template.id, ...more },
  })

async function stream({ call, seed }: TestApp, { key }: Key, rows: readonly object[]) {
  const { text } = await call('POST', '/provision/devices', {
    as: as.factory(key),
    headers: { 'content-type': 'application/x-ndjson' },
    body: rows.map((row) => JSON.stringify({ template_id: seed.template.id, ...row })).join('\n'),
  })
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { status: number; code?: string; rule?: string })
}

const counted = async ({ call, seed }: TestApp, { path }: Key): Promise<number> =>
  (await call('GET', path, { as: as.platformKey(seed.platformKey) })).body.devices_registered

const madeBy = async ({ database }: TestApp, { path }: Key): Promise<number> => {
  const { rows } = await database.pool.query(
    `SELECT count(*) AS n FROM audit_log WHERE action = 'device.registered' AND actor_id = $1`,
    [path.split('/').at(-1)],
  )
  return rows[0].n as number
}

const several = (count: number): { hardware_id: string }[] =>
  Array.from({ length: count }, () => ({ hardware_id: newUuid() }))

describe('a key with a quota', () => {
  test('registers as many of fifty at once as the quota says, through two processes', async () => {
    const app = getApp()
    const other = await app.sibling()
    const key = await keyOf(app, 10)
    const responses = await Promise.all(
      several(50).map((row, index) => register(index % 2 === 0 ? app : other, key, row)),
    )
    const made = responses.filter(({ status }) => status === 201)
    assert.equal(made.length, 10)
    for (const { status, body } of responses) {
      if (status !== 201)
        assert.deepEqual([body.code, body.rule], ['quota_reached', 'device_quota'])
    }
    assert.deepEqual([await counted(app, key), await madeBy(app, key)], [10, 10])
  })

  test('counts neither conflicts nor refusals, and gives nothing back for a deletion', async () => {
    const app = getApp()
    const key = await keyOf(app, 2)
    const device_key = newUuid()
    const first = await register(app, key, { device_key })
    assert.equal(first.status, 201)
    for (let tries = 0; tries < 3; tries += 1) {
      assert.equal((await register(app, key, { device_key })).body.code, 'device_key_taken')
      const foreign = { template_id: app.seed.other.template.id }
      assert.equal((await register(app, key, foreign)).status, 404)
    }
    assert.equal(await counted(app, key), 1)
    const path = `/workspaces/${app.seed.id}/devices/${first.body.device_id}`
    const staff = as.platformKey(app.seed.platformKey)
    assert.equal((await app.call('DELETE', path, { as: staff })).status, 204)
    assert.equal((await register(app, key)).status, 201)
    assert.equal((await register(app, key)).body.code, 'quota_reached')
    assert.equal(await counted(app, key), 2)
  })

  test('registers the rest of the quota by streams, and refuses each further row', async () => {
    const app = getApp()
    const other = await app.sibling()
    const key = await keyOf(app, 100)
    const [again = {}, ...rows] = several(80)
    const results = await stream(app, key, [again, ...rows, again])
    assert.deepEqual([...new Set(results.map(({ status }) => status))], [201])
    assert.equal(await counted(app, key), 80)
    const both = await Promise.all([
      stream(app, key, [again, ...several(60)]),
      stream(other, key, [again, ...several(60)]),
      ...several(20).map(async (row) => [(await register(app, key, row)).body]),
    ])
    const [one, two] = both
    assert.deepEqual(
      [one?.[0]?.status, two?.[0]?.status],
      [201, 201],
      'a known device needs no quota',
    )
    const refused = both.flat().filter(({ code }) => code === 'quota_reached')
    assert.ok(refused.every(({ rule }) => rule === 'device_quota'))
    assert.equal(refused.length, 120)
    assert.deepEqual([await counted(app, key), await madeBy(app, key)], [100, 100])
  })
})
