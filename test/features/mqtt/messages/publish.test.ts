/** A message published through the API reaches the subscribers of every process, and no others. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { MqttClient } from 'mqtt'
import { as, type TestApp } from '../../../support/app.ts'
import { connectDevice } from '../../../support/mqtt.ts'
import { useTenants } from '../../../support/suite-app.ts'
import { until } from '../../../support/until.ts'

const freshTenants = useTenants()

const publish = (app: TestApp, body: object) =>
  app.call('POST', `/workspaces/${app.seed.id}/mqtt/publish`, {
    as: as.platformKey(app.seed.platformKey),
    body,
  })

async function provision({ call, seed }: TestApp) {
  const { body } = await call('POST', '/provision/device', {
    as: as.factory(seed.provisionKey),
    body: { template_id: seed.template.id },
  })
  return { ...body, prefix: `${body.workspace_slug}/${body.device_key}` }
}

async function heardBy(client: MqttClient, filter: string): Promise<string[]> {
  const heard: string[] = []
  client.on(
    'message',
    (topic, payload) => void heard.push(`${topic} ${payload.toString('latin1')}`),
  )
  await client.subscribeAsync(filter, { qos: 1 })
  return heard
}

describe('publishing in the name of the service', () => {
  test('a message reaches the subscribers of every process, once', async (t) => {
    const app = await freshTenants(t)
    const two = await app.sibling()
    const device = await provision(app)
    const { prefix } = device
    const here = await connectDevice(t, device, { clientId: `${device.device_id}:1` })
    const there = await connectDevice(
      t,
      { ...device, mqtt_port: two.app.ports.mqtt },
      { clientId: `${device.device_id}:2` },
    )
    const all = [await heardBy(here, `${prefix}/cmd/#`), await heardBy(there, `${prefix}/cmd/#`)]
    const sent = [
      { body: { payload: 'plain' }, bytes: 'plain' },
      { body: { payload: { n: [1, 'ä'] }, qos: 1 }, bytes: '{"n":[1,"Ã¤"]}' },
      { body: { payload: 'quoted', encoding: 'json' }, bytes: '"quoted"' },
      { body: { payload: '/wA=', encoding: 'base64' }, bytes: '\u00ff\u0000' },
    ]
    for (const { body, bytes } of sent) {
      const response = await publish(app, { topic: `${prefix}/cmd/x`, ...body })
      assert.equal(response.status, 202, response.text)
      assert.equal(response.body.bytes, bytes.length)
    }
    const expected = sent.map(({ bytes }) => `${prefix}/cmd/x ${bytes}`)
    for (const heard of all) await until('all are heard', () => heard.length >= sent.length)
    // A second announcement would be read again by the next polls of the feed.
    const before = two.services.feed.sequence
    assert.equal((await publish(app, { topic: `${prefix}/cmd/y`, payload: '' })).status, 202)
    await until('the last is heard', () => all.every((heard) => heard.length > sent.length))
    assert.ok(two.services.feed.sequence > before)
    for (const heard of all) assert.deepEqual(heard, [...expected, `${prefix}/cmd/y `])
  })

  test('a retained message waits for later subscribers, and can be taken back', async (t) => {
    const app = await freshTenants(t)
    const device = await provision(app)
    const topic = `${device.prefix}/cmd/kept`
    await publish(app, { topic, payload: 'old', retain: true })
    const client = await connectDevice(t, device)
    const first = await heardBy(client, topic)
    await until('the retained message is heard', () => first.length === 1)
    await publish(app, { topic, payload: '', retain: true })
    await until('its end is heard', () => first.length === 2)
    const other = await connectDevice(t, device, { clientId: `${device.device_id}:2` })
    const later = await heardBy(other, topic)
    await publish(app, { topic, payload: 'new' })
    await until('the next message is heard', () => later.length > 0)
    assert.deepEqual(later, [`${topic} new`])
  })

  test('only well-formed topics below the own slug, and payloads of a bounded size, are accepted', async (t) => {
    const app = await freshTenants(t)
    const { slug } = app.seed
    const refused: [object, string][] = [
      [{ topic: `${app.seed.other.slug}/x`, payload: 'x' }, '/topic'],
      [{ topic: slug, payload: 'x' }, '/topic'],
      [{ topic: `${slug}/+/x`, payload: 'x' }, '/topic'],
      [{ topic: `${slug}/#`, payload: 'x' }, '/topic'],
      [{ topic: '$SYS/x', payload: 'x' }, '/topic'],
      [{ topic: `${slug}${'/x'.repeat(32)}`, payload: 'x' }, '/topic'],
      [{ topic: `${slug}/x` }, '/payload'],
      [{ topic: `${slug}/x`, payload: 1, encoding: 'text' }, '/payload'],
      [{ topic: `${slug}/x`, payload: 'not base64!', encoding: 'base64' }, '/payload'],
      [{ topic: `${slug}/x`, payload: 'x'.repeat(131_073) }, '/payload'],
      [{ topic: `${slug}/x`, payload: 'x', qos: 3 }, '/qos'],
    ]
    for (const [body, pointer] of refused) {
      const { status, body: problem } = await publish(app, body)
      assert.equal(status, 400, JSON.stringify(body).slice(0, 100))
      assert.equal(problem.errors[0].pointer, pointer)
    }
  })

  test('the audit log has the topic and the size, not the payload', async (t) => {
    const app = await freshTenants(t)
    const topic = `${app.seed.slug}/x`
    await publish(app, { topic, payload: 'a secret' })
    const path = `/workspaces/${app.seed.id}/audit-log?action=mqtt_message.published`
    const { body } = await app.call('GET', path, { as: as.user(app.seed.owner.token) })
    assert.deepEqual(body.items[0].detail, { topic, bytes: 8, qos: 0, retain: false })
  })
})
