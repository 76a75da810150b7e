/** With MOORING_MQTT_DURABLE=workspaces, each workspace decides whether its sessions are stored. */
import assert from 'node:assert/strict'
import { describe, test, type TestContext } from 'node:test'
import { as, type CallResult, startApp, type TestApp } from '../../../support/app.ts'
import type { DeviceLogin } from '../../../support/mqtt.ts'
import { until } from '../../../support/until.ts'
import { addPrincipal, listen, next, startDurable } from './durable-service.ts'

const BY_WORKSPACE = { environment: { MOORING_MQTT_DURABLE: 'workspaces' } }

/** A session that ends with its connection. */
const SHORT = { clean: true, properties: { sessionExpiryInterval: 0 } }

type Tenant = Pick<TestApp['seed'], 'id' | 'platformKey'>

const ask = (
  { call }: TestApp,
  { id, platformKey }: Tenant,
  isDurable: boolean,
): Promise<CallResult> =>
  call('PATCH', `/workspaces/${id}`, {
    as: as.platformKey(platformKey),
    body: { mqtt_durable: isDurable },
  })

/** Not those that `decide` publishes. */
const topicsOf = ({ slug }: { slug: string }): string[] =>
  ['one', 'two', 'three'].map((topic) => `${slug}/${topic}`)

/** Returns once the broker knows, too: it acts on it with the next retained message. */
async function decide(t: TestContext, app: TestApp, isDurable: boolean): Promise<void> {
  const { seed } = app
  const changed = await ask(app, seed, isDurable)
  assert.equal(changed.status, 200, changed.text)
  assert.equal(changed.body.mqtt_durable, isDurable)
  const login = await principalOf(app, seed, `probe of ${isDurable}`)
  const { client } = await listen(t, app, login, SHORT)
  const topic = `${seed.slug}/four`
  await until('the broker has the change', async () => {
    await client.publishAsync(topic, 'probe', { qos: 1, retain: true })
    const stored = await rowsOf(app, 'mqtt_retained_messages', topic)
    await client.publishAsync(topic, '', { qos: 1, retain: true })
    return stored === (isDurable ? 1 : 0)
  })
  await client.endAsync()
}

const principalOf = ({ call }: TestApp, { id, platformKey }: Tenant, name: string) =>
  addPrincipal({ call, workspaceId: id, headers: as.platformKey(platformKey) }, name)

const rowsOf = async ({ database }: TestApp, table: string, topic?: string): Promise<number> => {
  const which = topic === undefined ? '' : ` WHERE topic = '${topic}'`
  const { rows } = await database.pool.query(`SELECT count(*)::int AS n FROM ${table}${which}`)
  return rows[0].n
}

describe('where workspaces decide', () => {
  test('data of a workspace that requests it survives the process, and data of others does not', async (t) => {
    const app = await startDurable(t, BY_WORKSPACE)
    const { seed } = app
    await decide(t, app, true)
    const kept = await principalOf(app, seed, 'kept')
    const lost = await principalOf(app, seed.other, 'lost')
    const leave = async (login: DeviceLogin, slug: string): Promise<void> => {
      const { client } = await listen(t, app, login)
      await client.subscribeAsync(`${slug}/one`, { qos: 1 })
      await client.publishAsync(`${slug}/news`, 'retained', { qos: 1, retain: true })
      await client.endAsync()
    }
    await leave(kept, seed.slug)
    await leave(lost, seed.other.slug)
    await app.close()
    const later = await next(app)
    const back = await listen(t, later, kept)
    assert.equal(back.isPresent, true)
    await back.client.subscribeAsync(`${seed.slug}/news`, { qos: 1 })
    await until('the retained message is there', () => back.texts().includes('retained'))
    assert.equal((await listen(t, later, lost)).isPresent, false)
    assert.equal(await rowsOf(later, 'mqtt_retained_messages'), 1)
  })

  test('a session that was in memory is stored with its queue once its client is back', async (t) => {
    const app = await startDurable(t, BY_WORKSPACE)
    const { seed } = app
    const login = await principalOf(app, seed, 'adopted')
    const sender = await principalOf(app, seed, 'sender')
    const first = await listen(t, app, login)
    await first.client.subscribeAsync(topicsOf(seed), { qos: 2 })
    await first.client.endAsync()
    const { client } = await listen(t, app, sender)
    await client.publishAsync(`${seed.slug}/one`, 'one', { qos: 1 })
    await client.publishAsync(`${seed.slug}/two`, 'two', { qos: 2 })
    await decide(t, app, true)
    // Its Receive Maximum lets it take one message, which it does not acknowledge.
    const again = await listen(t, app, login, {
      properties: { sessionExpiryInterval: 3_600, receiveMaximum: 1 },
      customHandleAcks: () => {},
    })
    assert.equal(again.isPresent, true)
    await until(
      'its queue is stored',
      async () => (await rowsOf(app, 'mqtt_stored_messages')) === 2,
    )
    again.client.end(true)
    await client.publishAsync(`${seed.slug}/three`, 'three', { qos: 2 })
    await app.close()
    const back = await listen(t, await next(app), login)
    assert.equal(back.isPresent, true)
    await until('all have come', () => back.packets.length >= 3)
    assert.deepEqual(back.texts(), ['one', 'two', 'three'])
  })

  test('a session of a workspace that no longer requests it stays in memory with its queue', async (t) => {
    const app = await startDurable(t, BY_WORKSPACE)
    const { seed } = app
    await decide(t, app, true)
    const login = await principalOf(app, seed, 'released')
    const sender = await principalOf(app, seed, 'sender')
    const first = await listen(t, app, login)
    await first.client.subscribeAsync(topicsOf(seed), { qos: 1 })
    await first.client.endAsync()
    const { client } = await listen(t, app, sender)
    await client.publishAsync(`${seed.slug}/one`, 'one', { qos: 1, retain: true })
    await decide(t, app, false)
    await client.publishAsync(`${seed.slug}/two`, 'two', { qos: 1 })
    const back = await listen(t, app, login)
    assert.equal(back.isPresent, true)
    await until('its queue has come', () => back.packets.length === 2)
    assert.deepEqual(back.texts(), ['one', 'two'])
    await client.publishAsync(`${seed.slug}/one`, 'newer', { qos: 1, retain: true })
    await client.endAsync()
    assert.equal((await listen(t, app, sender)).isPresent, true)
    // oxlint-disable-next-line eslint/no-await-in-loop -- one after the other
    for (const table of ['mqtt_stored_sessions', 'mqtt_stored_messages', 'mqtt_retained_messages'])
      await until(`${table} is empty`, async () => (await rowsOf(app, table)) === 0)
  })
})

describe('an installation that stores no sessions', () => {
  test('says so to a workspace that asks for it', async (t) => {
    const app = await startApp(t)
    const asked = await ask(app, app.seed, true)
    assert.equal(asked.status, 400)
    assert.equal(asked.body.errors[0].pointer, '/mqtt_durable')
    assert.match(asked.body.errors[0].message, /MOORING_MQTT_DURABLE/)
    assert.equal((await ask(app, app.seed, false)).status, 200)
  })
})
