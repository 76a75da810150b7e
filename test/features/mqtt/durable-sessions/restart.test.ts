/** The state that outlasts the process of the broker, and the state that does not. */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { test } from 'node:test'
import { as, startApp, type TestApp } from '../../../support/app.ts'
import { closed, type DeviceLogin, tryConnect } from '../../../support/mqtt.ts'
import { until } from '../../../support/until.ts'
import { listen, makePrincipal, next, startDurable } from './durable-service.ts'

/** A session that ends with its connection. */
const SHORT = { clean: true, properties: { sessionExpiryInterval: 0 } }

const countIn = async ({ database }: TestApp, table: string): Promise<number> => {
  const { rows } = await database.pool.query(`SELECT count(*)::int AS n FROM ${table}`)
  return rows[0].n
}

test('a session with its subscriptions and its queue is there after a restart', async (t) => {
  const app = await startDurable(t)
  const { slug } = app.seed
  const login = await makePrincipal(app, 'away')
  const sender = await makePrincipal(app, 'sender')
  const one = await listen(t, app, login)
  assert.equal(one.isPresent, false)
  await one.client.subscribeAsync(
    { [`${slug}/one/#`]: { qos: 1 } },
    { properties: { subscriptionIdentifier: 7 } },
  )
  await one.client.subscribeAsync({ [`${slug}/two/#`]: { qos: 2 } })
  await one.client.endAsync()
  const first = await listen(t, app, sender)
  await first.client.publishAsync(`${slug}/one`, 'one', {
    qos: 1,
    properties: { userProperties: { of: 'one' } },
  })
  await first.client.publishAsync(`${slug}/two`, 'two', { qos: 2 })
  await app.close()
  const later = await next(app)
  const second = await listen(t, later, sender)
  assert.equal(second.isPresent, true)
  await second.client.publishAsync(`${slug}/two`, 'three', { qos: 2 })
  const back = await listen(t, later, login)
  assert.equal(back.isPresent, true)
  await until('all have come', () => back.packets.length === 3)
  assert.deepEqual(back.texts(), ['one', 'two', 'three'])
  assert.deepEqual(
    back.packets.map(({ qos }) => qos),
    [1, 2, 2],
  )
  assert.equal(back.packets[0]?.properties?.subscriptionIdentifier, 7)
  assert.equal(back.packets[0]?.properties?.userProperties?.of, 'one')
  assert.equal(back.packets[0]?.dup, false, 'the message is not a duplicate')
  await until(
    'acknowledged messages are deleted',
    async () => (await countIn(later, 'mqtt_stored_messages')) === 0,
  )
})

test('retained messages outlast the process, unless they are removed or expired', async (t) => {
  const app = await startDurable(t)
  const { slug } = app.seed
  const login = await makePrincipal(app, 'sender')
  const { client } = await listen(t, app, login)
  const retain = (topic: string, text: string, messageExpiryInterval?: number) =>
    client.publishAsync(`${slug}/${topic}`, text, {
      qos: 1,
      retain: true,
      ...(messageExpiryInterval && { properties: { messageExpiryInterval } }),
    })
  await retain('one', 'before')
  await retain('one', 'kept')
  await retain('two', 'removed')
  await retain('two', '')
  await retain('three', 'expired', 1)
  await retain('four', 'fresh', 600)
  const path = `/workspaces/${app.seed.id}/mqtt/publish`
  const published = await app.call('POST', path, {
    as: as.platformKey(app.seed.platformKey),
    body: { topic: `${slug}/service`, payload: 'service', qos: 1, retain: true },
  })
  assert.equal(published.status, 202, published.text)
  await until('all are stored', async () => (await countIn(app, 'mqtt_retained_messages')) === 4)
  await app.close()
  await sleep(1_000)
  const later = await next(app)
  const back = await listen(t, later, login)
  await back.client.subscribeAsync(`${slug}/#`, { qos: 1 })
  await until('all have come', () => back.packets.length >= 3)
  assert.deepEqual(back.texts().sort(), ['fresh', 'kept', 'service'])
  assert.ok(back.packets.every(({ retain: isRetained }) => isRetained))
})

test('the time while the service is down counts for the expiry of a session', async (t) => {
  const app = await startDurable(t)
  const [short, long] = [await makePrincipal(app, 'short'), await makePrincipal(app, 'long')]
  const properties = { sessionExpiryInterval: 1 }
  const one = await listen(t, app, short, { properties })
  await one.client.subscribeAsync(`${app.seed.slug}/#`, { qos: 1 })
  await listen(t, app, long)
  await app.close()
  await sleep(1_100)
  const later = await next(app)
  await until(
    'the session is deleted',
    async () => (await countIn(later, 'mqtt_stored_sessions')) === 1,
  )
  assert.equal((await listen(t, later, short)).isPresent, false)
  assert.equal((await listen(t, later, long)).isPresent, true)
})

test('stored data of a deleted principal is deleted, also if no broker was running', async (t) => {
  const app = await startDurable(t)
  const { slug, id } = app.seed
  const [kept, deleted] = [await makePrincipal(app, 'kept'), await makePrincipal(app, 'deleted')]
  for (const login of [kept, deleted]) {
    const { client } = await listen(t, app, login)
    await client.subscribeAsync(`${slug}/news`, { qos: 1 })
    await client.publishAsync(`${slug}/${login.device_id}`, 'x', { qos: 1, retain: true })
    await client.endAsync()
  }
  const sender = await listen(t, app, await makePrincipal(app, 'sender'), SHORT)
  await sender.client.publishAsync(`${slug}/news`, 'news', { qos: 1 })
  assert.equal(await countIn(app, 'mqtt_stored_messages'), 2)
  await app.close()
  const api = await app.sibling({ MOORING_EMBEDDED_BROKER: 'off' })
  const path = `/workspaces/${id}/mqtt/principals/${deleted.device_id}`
  const gone = await api.call('DELETE', path, { as: as.platformKey(app.seed.platformKey) })
  assert.equal(gone.status, 204, gone.text)
  await api.close()
  const later = await next(app)
  await until(
    'nothing of it is stored',
    async () =>
      (await countIn(later, 'mqtt_stored_messages')) === 1 &&
      (await countIn(later, 'mqtt_retained_messages')) === 1,
  )
  const back = await listen(t, later, kept)
  await until('the other one has its message', () => back.texts().includes('news'))
})

test('stored data of a principal is deleted with it', async (t) => {
  const app = await startDurable(t)
  const login = await makePrincipal(app, 'deleted')
  const { client } = await listen(t, app, login)
  await client.subscribeAsync(`${app.seed.slug}/news`, { qos: 1 })
  await client.endAsync()
  const sender = await listen(t, app, await makePrincipal(app, 'sender'), SHORT)
  await sender.client.publishAsync(`${app.seed.slug}/news`, 'news', { qos: 1 })
  const path = `/workspaces/${app.seed.id}/mqtt/principals/${login.device_id}`
  await app.call('DELETE', path, { as: as.platformKey(app.seed.platformKey) })
  await until(
    'its session is gone',
    async () =>
      (await countIn(app, 'mqtt_stored_sessions')) +
        (await countIn(app, 'mqtt_stored_messages')) ===
      0,
  )
})

test('a later process takes the store over, and the earlier one serves MQTT no more', async (t) => {
  const app = await startDurable(t)
  const { slug } = app.seed
  const [login, witness] = [await makePrincipal(app, 'one'), await makePrincipal(app, 'witness')]
  const watching = await listen(t, app, witness)
  await watching.client.subscribeAsync(`${slug}/#`, { qos: 1 })
  const will = {
    topic: `${slug}/three`,
    payload: Buffer.from('gone'),
    qos: 1 as const,
    retain: false,
  }
  const one = await listen(t, app, login, { will })
  const later = await next(app)
  const back = await listen(t, later, witness)
  assert.equal(back.isPresent, true)
  await until('the will of the session comes', () => back.texts().includes('gone'))
  // It learns of it with its next batch.
  one.client.subscribe(`${slug}/one`, { qos: 1 }, () => {})
  await closed(one.client)
  const SERVER_UNAVAILABLE = 0x88
  const outcome = await tryConnect(
    t,
    { ...login, mqtt_port: app.app.ports.mqtt },
    { protocolVersion: 5 },
  )
  assert.equal(outcome.code, SERVER_UNAVAILABLE)
  const mine = await listen(t, later, login)
  assert.equal(mine.isPresent, true)
  await back.client.publishAsync(`${slug}/one`, 'x', { qos: 1 })
  assert.equal(mine.packets.length, 0, 'the subscription was never acknowledged')
})

test('a session that asks for a clean start begins without what was stored', async (t) => {
  const app = await startDurable(t)
  const { slug } = app.seed
  const login = await makePrincipal(app, 'clean')
  const one = await listen(t, app, login)
  await one.client.subscribeAsync(`${slug}/#`, { qos: 1 })
  await one.client.endAsync()
  const clean = await listen(t, app, login, { clean: true })
  assert.equal(clean.isPresent, false)
  await app.close()
  const later = await next(app)
  const back = await listen(t, later, login)
  assert.equal(back.isPresent, true)
  await back.client.publishAsync(`${slug}/one`, 'x', { qos: 1 })
  assert.deepEqual(back.texts(), [])
})

test('members of a shared subscription get each message once, also after a restart', async (t) => {
  const app = await startDurable(t)
  const { slug } = app.seed
  const logins = [await makePrincipal(app, 'first'), await makePrincipal(app, 'second')]
  for (const login of logins) {
    const { client } = await listen(t, app, login)
    await client.subscribeAsync(`$share/group/${slug}/one`, { qos: 1 })
    await client.endAsync()
  }
  const sender = await listen(t, app, await makePrincipal(app, 'sender'))
  const texts = ['a', 'b', 'c', 'd', 'e']
  for (const text of texts) await sender.client.publishAsync(`${slug}/one`, text, { qos: 1 })
  await app.close()
  const later = await next(app)
  const [first, second] = [
    await listen(t, later, logins[0] as DeviceLogin),
    await listen(t, later, logins[1] as DeviceLogin),
  ]
  const received = (): string[] => [...first.texts(), ...second.texts()].toSorted()
  await until('all have come', () => received().length >= texts.length)
  assert.deepEqual(received(), texts)
  assert.ok(first.texts().length > 0 && second.texts().length > 0, 'both clients received messages')
})

test('the Receive Maximum of a client holds for what an earlier process has queued', async (t) => {
  const app = await startDurable(t)
  const { slug } = app.seed
  const login = await makePrincipal(app, 'slow')
  const one = await listen(t, app, login)
  await one.client.subscribeAsync(`${slug}/one`, { qos: 1 })
  await one.client.endAsync()
  const sender = await listen(t, app, await makePrincipal(app, 'sender'))
  for (const text of ['a', 'b', 'c'])
    await sender.client.publishAsync(`${slug}/one`, text, { qos: 1 })
  await app.close()
  const later = await next(app)
  const held: (() => void)[] = []
  const back = await listen(t, later, login, {
    properties: { sessionExpiryInterval: 3_600, receiveMaximum: 1 },
    customHandleAcks: (_topic, _payload, _packet, done) => void held.push(() => done(0)),
  })
  for (const count of [1, 2, 3]) {
    await until('one more has come', () => held.length === count)
    // A message sent too early would come in this time.
    await sleep(50)
    assert.equal(held.length, count)
    held[count - 1]?.()
  }
  assert.deepEqual(back.texts(), ['a', 'b', 'c'])
})

test('unless it is asked for, nothing is stored', async (t) => {
  const app = await startApp(t)
  const { slug } = app.seed
  const login = await makePrincipal(app, 'memory')
  const one = await listen(t, app, login)
  await one.client.subscribeAsync(`${slug}/#`, { qos: 1 })
  await one.client.publishAsync(`${slug}/one`, 'x', { qos: 1, retain: true })
  await one.client.endAsync()
  for (const table of ['sessions', 'messages', 'receipts'])
    assert.equal(await countIn(app, `mqtt_stored_${table}`), 0)
  assert.equal(await countIn(app, 'mqtt_retained_messages'), 0)
  await app.close()
  assert.equal((await listen(t, await next(app), login)).isPresent, false)
})
