/** The search finds things by what people know of them, and only what the caller may read. */
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { as, type Headers, type TestApp } from '../../../support/app.ts'
import { seedUser } from '../../../support/seed.ts'
import { useTenants } from '../../../support/suite-app.ts'

interface Item {
  kind: string
  id: string
  label: string
  detail: string
  status: string | null
}

async function find(app: TestApp, q: string, who?: Headers) {
  const path = `/workspaces/${app.seed.id}/search?q=${encodeURIComponent(q)}`
  const answer = await app.call('GET', path, { as: who ?? as.user(app.seed.owner.token) })
  assert.equal(answer.status, 200, answer.text)
  return answer.body as { items: Item[]; left_out: string[] }
}

const kindsOf = ({ items }: { items: Item[] }): string[] => items.map(({ kind }) => kind)

suite('the search in a workspace', () => {
  const tenant = useTenants()

  test('nothing is found for an empty text, or one of spaces', async (t) => {
    const app = await tenant(t)
    for (const q of ['', '  ']) assert.deepEqual((await find(app, q)).items, [])
  })

  /** A workspace with one thing of each kind, named after a harbour. */
  async function harbour(t: Parameters<typeof tenant>[0]) {
    const app = await tenant(t)
    const owner = as.user(app.seed.owner.token)
    const make = async (below: string, body: object): Promise<Item> => {
      const path = `/workspaces/${app.seed.id}/${below}`
      const answer = await app.call('POST', path, { as: owner, body })
      assert.ok(answer.status < 300, answer.text)
      return answer.body as Item
    }
    const device = await make('devices', {
      device_key: 'TH2-2026-84213',
      name: 'Quay sensor',
      hardware_id: '24:6F:28:AA:00:01',
    })
    const template = await make('device-templates', {
      model_key: 'quay-2',
      name: 'Quay meter',
      serial_format: 'Q-%#f',
    })
    const group = await make('device-groups', { name: 'The northern quay' })
    const key = await make('api-keys', { key_kind: 'provision', name: 'Quay line' })
    const principal = await make('mqtt/principals', { name: 'quay-backend' })
    const domain = await make('domains', { name: 'quay.example.com', purpose: 'mqtt' })
    const webhook = await make('webhooks', { url: 'https://quay.example.com/hook' })
    return { app, device, template, group, key, principal, domain, webhook }
  }

  test('each kind is found by a part of its name, or by its id', async (t) => {
    const { app, device, ...others } = await harbour(t)
    const found = await find(app, 'QUAY')
    assert.deepEqual(kindsOf(found), [
      'device',
      'device_template',
      'device_group',
      'api_key',
      'mqtt_principal',
      'domain',
      'webhook',
    ])
    assert.deepEqual(found.left_out, [])
    assert.deepEqual(found.items[0], {
      kind: 'device',
      id: device.id,
      label: 'TH2-2026-84213',
      detail: 'Quay sensor · 24:6F:28:AA:00:01',
      status: 'registered',
    })
    for (const { id } of [device, ...Object.values(others)]) {
      assert.deepEqual(
        (await find(app, ` ${id} `)).items.map((each) => each.id),
        [id],
      )
    }
    const people = await find(app, app.seed.owner.email.slice(0, 8))
    assert.deepEqual(kindsOf(people), ['person'])
    assert.equal(people.items[0]?.id, app.seed.owner.id)
  })

  test('a device is found by the ends of its key, its name and its hardware id', async (t) => {
    const { app, device } = await harbour(t)
    for (const q of ['TH2-2026', '84213', 'quay sen', '24:6F:28']) {
      const { items } = await find(app, q)
      assert.equal(items.find(({ kind }) => kind === 'device')?.id, device.id, q)
    }
    assert.deepEqual((await find(app, 'nothing of this name')).items, [])
    assert.deepEqual((await find(app, '%')).items, [])
  })

  test('at most five of a kind are found', async (t) => {
    const app = await tenant(t)
    const owner = as.user(app.seed.owner.token)
    for (let n = 0; n < 7; n += 1) {
      const body = { name: `Pier ${n}` }
      await app.call('POST', `/workspaces/${app.seed.id}/device-groups`, { as: owner, body })
      const device = { device_key: `pier-${n}` }
      await app.call('POST', `/workspaces/${app.seed.id}/devices`, { as: owner, body: device })
    }
    const kinds = kindsOf(await find(app, 'pier'))
    assert.equal(kinds.filter((kind) => kind === 'device').length, 5)
    assert.equal(kinds.filter((kind) => kind === 'device_group').length, 5)
  })

  test('resources that a role may not read, and those of other workspaces, are not found', async (t) => {
    const { app, key } = await harbour(t)
    const viewer = as.user((await seedUser(app, { [app.seed.uuid]: 'viewer' })).token)
    const seen = await find(app, 'quay', viewer)
    assert.deepEqual(seen.left_out, ['api_key', 'webhook'])
    assert.ok(!kindsOf(seen).includes('api_key') && !kindsOf(seen).includes('webhook'))
    assert.deepEqual((await find(app, key.id, viewer)).items, [])
    const other = await tenant(t)
    assert.deepEqual((await find(other, 'quay')).items, [])
    assert.deepEqual((await find(other, key.id)).items, [])
  })
})
