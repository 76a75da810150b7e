/**
 * Commands reach the device that they are for, once, and end with its first response or in time.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { unnamed } from '../../../../src/platform/database/connect.ts'
import { parseId } from '../../../../src/platform/lib/ids.ts'
import {
  respondTo,
  awaitEnd,
  type Heard,
  listen,
  registerDevice,
  sendCommand,
  staff,
} from '../../../support/commands.ts'
import { useTenants } from '../../../support/suite-app.ts'
import { until } from '../../../support/until.ts'

const freshTenants = useTenants()

const idsOf = (heard: readonly Heard[]): string[] => heard.map(({ id }) => id)

describe('a command over MQTT', () => {
  test('reaches firmware of both dialects, and ends with what the device answers', async (t) => {
    const app = await freshTenants(t)
    for (const [filter, topic] of [
      ['cmd', 'cmd'],
      ['cmd/+', 'cmd/reboot'],
    ] as const) {
      const device = await registerDevice(app)
      const { client, heard } = await listen(t, device, [filter])
      const sent = await sendCommand(app, device, { name: 'reboot', payload: { delay_s: 5 } })
      await until('the command', () => heard.length > 0)
      const [message] = heard as [Heard]
      assert.equal(message.topic, `${device.topic}/${topic}`)
      const { topic: _topic, ...said } = message
      assert.deepEqual(said, {
        id: sent.id,
        name: 'reboot',
        payload: { delay_s: 5 },
        issued_at: sent.created_at,
        expires_at: sent.expires_at,
      })
      await respondTo(client, device, { id: sent.id, ok: true, result: { took_ms: 7 } })
      const ended = await awaitEnd(app, device, sent.id)
      assert.equal(ended.status, 'acknowledged')
      assert.deepEqual(ended.result, { took_ms: 7 })
      assert.ok(ended.sent_at !== null && ended.ended_at !== null)
      assert.equal(heard.length, 1)
    }
  })

  test('waits for a device that is away, and comes in order once it listens', async (t) => {
    const app = await freshTenants(t)
    const device = await registerDevice(app)
    const sent: string[] = []
    for (const name of ['one', 'two', 'three']) {
      sent.push((await sendCommand(app, device, { name })).id)
    }
    const { heard, client } = await listen(t, device, ['config/resp'])
    await client.publishAsync(`${device.topic}/events`, 'x', { qos: 1 })
    assert.deepEqual(heard, [], 'the device gets no command before it subscribes')
    await client.subscribeAsync(`${device.topic}/cmd`, { qos: 1 })
    await until('all commands', () => heard.length === 3)
    assert.deepEqual(idsOf(heard), sent)
  })

  test('waits for a session that may not receive it, until it may again', async (t) => {
    const app = await freshTenants(t)
    const device = await registerDevice(app)
    const { heard } = await listen(t, device, ['cmd'])
    const template = `/workspaces/${app.seed.id}/device-templates/${app.seed.template.id}`
    const change = async (mqtt_acl: object[]) => {
      const response = await app.call('PATCH', template, { as: staff(app), body: { mqtt_acl } })
      assert.equal(response.status, 200, response.text)
    }
    const rule = { action: 'pubsub', topic: '{slug}/{device_key}/events', permission: 'allow' }
    await change([rule])
    const { broker } = app.services
    const [session] = broker.connections(device.device_id)
    await until('the narrow rules', () => session?.grant.rules.length === 1)
    const sent = await sendCommand(app, device)
    const path = `${device.path}/${sent.id}`
    await new Promise((resolve) => setTimeout(resolve, 300))
    assert.equal((await app.call('GET', path, { as: staff(app) })).body.status, 'pending')
    await change([rule, { ...rule, topic: '{slug}/{device_key}/cmd' }])
    await until('the command', () => heard.length === 1)
    assert.equal(heard[0]?.id, sent.id)
  })

  test('reaches a durable session that comes back without subscribing again', async (t) => {
    const app = await freshTenants(t)
    const device = await registerDevice(app)
    const durable = { clean: false }
    const { client } = await listen(t, device, ['cmd'], durable)
    await client.endAsync()
    const { id } = await sendCommand(app, device)
    const { heard } = await listen(t, device, [], durable)
    await until('the command', () => heard.length === 1)
    assert.deepEqual(idsOf(heard), [id])
  })

  test('ends with the first response; later ones change nothing', async (t) => {
    const app = await freshTenants(t)
    const device = await registerDevice(app)
    const { client, heard } = await listen(t, device)
    const { id } = await sendCommand(app, device)
    await until('the command', () => heard.length === 1)
    const responses = Array.from({ length: 20 }, (_, index) => ({
      id,
      ok: false,
      error: `e${index}`,
    }))
    await Promise.all(responses.map((response) => respondTo(client, device, response)))
    const ended = await awaitEnd(app, device, id)
    assert.equal(ended.status, 'failed')
    assert.equal(ended.error, 'e0')
    await respondTo(client, device, { id, ok: true })
    const marker = await sendCommand(app, device, { name: 'marker' })
    await until('the marker', () => heard.length === 2)
    await respondTo(client, device, { id: marker.id, ok: true })
    assert.equal((await awaitEnd(app, device, marker.id)).status, 'acknowledged')
    assert.deepEqual(await awaitEnd(app, device, id), ended)
    const types = await app.database.query<{ type: string }>(
      unnamed(
        `SELECT type FROM events WHERE subject_id = $1 AND type LIKE 'command.%' ORDER BY id`,
      ),
      [parseId('dev', device.device_id)],
    )
    assert.deepEqual(
      types.map(({ type }) => type),
      ['command.failed', 'command.acknowledged'],
    )
  })

  test('is not ended by another device, by nonsense, nor before it was sent', async (t) => {
    const app = await freshTenants(t)
    const device = await registerDevice(app)
    const other = await registerDevice(app)
    const { id } = await sendCommand(app, device)
    const early = await listen(t, device, ['config/#'])
    await respondTo(early.client, device, { id, ok: true })
    const outsider = await listen(t, other)
    for (const response of [
      { id, ok: true },
      { id, ok: 'yes' },
      { ok: true },
      { id: 'cmd_x', ok: true },
    ]) {
      await respondTo(outsider.client, other, response)
    }
    await outsider.client.publishAsync(`${other.topic}/ack`, 'no JSON', { qos: 1 })
    for (const [{ client }, by] of [
      [early, device],
      [outsider, other],
    ] as const) {
      const marker = await sendCommand(app, by, { name: 'marker' })
      await client.subscribeAsync(`${by.topic}/cmd/marker`, { qos: 1 })
      await until('the marker is sent', async () => {
        const { body } = await app.call('GET', `${by.path}/${marker.id}`, { as: staff(app) })
        return body.status === 'sent'
      })
      await respondTo(client, by, { id: marker.id, ok: true })
      assert.equal((await awaitEnd(app, by, marker.id)).status, 'acknowledged')
    }
    const { body } = await app.call('GET', `${device.path}/${id}`, { as: staff(app) })
    assert.equal(body.status, 'sent', 'the command is sent with the marker and has no response')
  })
})

describe('commands and several processes', () => {
  test('each command is published by exactly one of the processes that hold a session', async (t) => {
    const app = await freshTenants(t)
    const other = await app.sibling()
    const device = await registerDevice(app)
    const here = await listen(t, device, ['cmd'], { clientId: `${device.device_id}:a` })
    const there = await listen(t, { ...device, mqtt_port: other.app.ports.mqtt }, ['cmd'], {
      clientId: `${device.device_id}:b`,
    })
    const sent = await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        sendCommand(index % 2 ? app : other, device, { name: `c${index}` }),
      ),
    )
    const all = () => [...idsOf(here.heard), ...idsOf(there.heard)]
    await until('all commands', () => all().length >= 30)
    const marker = await sendCommand(app, device, { name: 'marker' })
    await until('the marker', () => all().includes(marker.id))
    assert.deepEqual(
      all().toSorted(),
      [...sent.map(({ id }) => id as string), marker.id as string].toSorted(),
    )
  })

  test('a command that is sent through another process reaches the session within the feed', async (t) => {
    const app = await freshTenants(t)
    const other = await app.sibling()
    const device = await registerDevice(app, other)
    const { client, heard } = await listen(t, device)
    const { id } = await sendCommand(app, device)
    const waiting = awaitEnd(app, device, id)
    await until('the command', () => heard.length === 1)
    await respondTo(client, device, { id, ok: true })
    assert.equal((await waiting).status, 'acknowledged')
  })

  test('a command that is cancelled while commands are sent was not delivered', async (t) => {
    const app = await freshTenants(t)
    const device = await registerDevice(app)
    const sent: string[] = []
    for (let index = 0; index < 30; index += 1) {
      sent.push((await sendCommand(app, device, { name: `c${index}` })).id)
    }
    const [{ heard }, ...responses] = await Promise.all([
      listen(t, device),
      ...sent.map((id) => app.call('DELETE', `${device.path}/${id}`, { as: staff(app) })),
    ])
    const marker = await sendCommand(app, device, { name: 'marker' })
    await until('the marker', () => idsOf(heard).includes(marker.id))
    for (const [index, { status, body }] of responses.entries()) {
      const wasHeard = idsOf(heard).includes(sent[index] ?? '')
      assert.equal(status, wasHeard ? 409 : 204)
      if (wasHeard) assert.equal(body.code, 'invalid_transition')
    }
  })
})
