/** `explain` says what the broker does: random rules and topics, asked of both. */
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import fc from 'fast-check'
import type { MqttClient } from 'mqtt'
import type { TopicRule } from '../../../../src/adapters/broker/port.ts'
import { newUuid, parseId } from '../../../../src/platform/lib/ids.ts'
import { as, type TestApp } from '../../../support/app.ts'
import { type Fleet, registerDevice } from '../../../support/commands.ts'
import { connectDevice } from '../../../support/mqtt.ts'
import { addRules, aclsOf, seedPrincipal } from '../../../support/mqtt-rules.ts'
import { useTenants } from '../../../support/suite-app.ts'

const freshTenants = useTenants()

const ask = async (app: TestApp, client: string, action: string, topic: string) => {
  const response = await app.call('POST', `/workspaces/${app.seed.id}/mqtt/explain`, {
    as: as.platformKey(app.seed.platformKey),
    body: { client, action, topic },
  })
  assert.equal(response.status, 200, response.text)
  return response.body
}

const level = fc.constantFrom('a', 'b', '{device_key}', '{device_id}')
const filters = fc
  .tuple(fc.array(fc.oneof(level, fc.constant('+')), { minLength: 1, maxLength: 2 }), fc.boolean())
  .map(([levels, all]) => [...levels, ...(all ? ['#'] : [])].join('/'))
const permission = fc.constantFrom('allow', 'allow', 'deny')
const rule: fc.Arbitrary<TopicRule> = fc.oneof(
  fc.record({ action: fc.constant('subscribe'), topic: filters, permission }),
  fc.record({
    action: fc.constantFrom('publish', 'pubsub'),
    topic: fc.array(level, { minLength: 1, maxLength: 2 }).map((levels) => levels.join('/')),
    permission,
  }),
)
const lists = fc.array(rule, { minLength: 2, maxLength: 8 })

const write = (app: TestApp, { device_id }: Fleet, rules: TopicRule[]) =>
  app.database.pool.query(
    'INSERT INTO device_acls (workspace_id, device_id, rules) VALUES ($1, $2, $3)',
    [
      app.seed.uuid,
      parseId('dev', device_id),
      JSON.stringify(
        rules.map((each) => ({ ...each, id: newUuid(), topic: `{slug}/${each.topic}` })),
      ),
    ],
  )

/** Whether the broker of a live session takes it. */
async function brokerAllows(client: MqttClient, action: string, topic: string): Promise<boolean> {
  if (action === 'subscribe') {
    const granted = await client.subscribeAsync(topic, { qos: 0 }).catch(() => [])
    return granted.some(({ qos }) => qos < 128)
  }
  const packet = await client.publishAsync(topic, 'x', { qos: 1 }).catch(() => undefined)
  const code = (packet as { reasonCode?: number } | undefined)?.reasonCode ?? 0
  return packet !== undefined && code < 128
}

function questionsFor({ topic, device_id }: Fleet): [action: string, topic: string][] {
  const [slug = '', key = ''] = topic.split('/')
  const names = ['a', 'b', key, device_id].flatMap((one) => [
    `${slug}/${one}`,
    ...['a', key].map((two) => `${slug}/${one}/${two}`),
  ])
  const wide = [`${slug}/+`, `${slug}/a/+`, `${slug}/#`, `${slug}/${key}/#`, '#', '$SYS/#', '+/a']
  return [
    ...names.map((name): [string, string] => ['publish', name]),
    ...[...names, ...wide].map((name): [string, string] => ['subscribe', name]),
    ['publish', `${topic}/state`],
    ['subscribe', `${topic}/cmd/#`],
    ['publish', '$SYS/a'],
  ]
}

async function compare(t: TestContext, app: TestApp, rules: TopicRule[]) {
  const device = await registerDevice(app)
  await write(app, device, rules)
  const client = await connectDevice(t, device, { protocolVersion: 5 })
  const counts = { allowed: 0, refused: 0 }
  for (const [action, topic] of questionsFor(device)) {
    const [said, done] = await Promise.all([
      ask(app, device.device_id, action, topic),
      brokerAllows(client, action, topic),
    ])
    const received = JSON.stringify({ rules, action, topic, said })
    assert.equal(said.allowed, done, received)
    assert.equal(said.rule?.permission === 'allow', done, received)
    counts[done ? 'allowed' : 'refused'] += 1
  }
  client.end(true)
  return counts
}

test('explain agrees with the broker about random rules', async (t) => {
  const app = await freshTenants(t)
  const counts = { allowed: 0, refused: 0 }
  for (const rules of fc.sample(lists, 5)) {
    const { allowed, refused } = await compare(t, app, rules)
    counts.allowed += allowed
    counts.refused += refused
  }
  assert.ok(counts.allowed > 5 && counts.refused > 5, JSON.stringify(counts))
})

test('the response names the rule, its list and its place, as written and as evaluated', async (t) => {
  const app = await freshTenants(t)
  const { device_id, topic } = await registerDevice(app)
  const call = aclsOf(app, device_id)
  const [, own] = await addRules(
    call,
    'deny subscribe {slug}/a',
    'deny publish {slug}/{device_key}/state',
  )
  assert.deepEqual(await ask(app, device_id, 'publish', `${topic}/state`), {
    allowed: false,
    reason: 'rule',
    rule: {
      source: 'device',
      id: own.id,
      template_id: null,
      template_version: null,
      position: 2,
      action: 'publish',
      topic: '{slug}/{device_key}/state',
      resolved_topic: `${topic}/state`,
      permission: 'deny',
    },
    would_connect: { allowed: true, reason: null },
  })
})

test('shared filters are checked by the filter behind the group, and the syntax before all', async (t) => {
  const app = await freshTenants(t)
  const { device_id, topic, device_key } = await registerDevice(app)
  const byDefault = await ask(app, device_id, 'subscribe', `$share/group/${topic}/cmd/x`)
  assert.deepEqual(
    [byDefault.allowed, byDefault.rule.source, byDefault.rule.topic],
    [true, 'default', '{slug}/{device_key}/cmd/#'],
  )
  await app.call('PATCH', `/workspaces/${app.seed.id}/device-templates/${app.seed.template.id}`, {
    as: as.platformKey(app.seed.platformKey),
    body: { mqtt_acl: [{ action: 'pubsub', topic: '{slug}/x', permission: 'allow' }] },
  })
  const slug = topic.slice(0, -device_key.length)
  const { allowed, rule: decider } = await ask(app, device_id, 'receive', `${slug}x`)
  const { source, template_id, template_version, position } = decider
  assert.deepEqual(
    [allowed, source, template_id, template_version, position],
    [true, 'template', app.seed.template.id, 2, 1],
  )
  const reasons = [
    ['publish', `${slug}y`, 'no_rule'],
    ['publish', `${slug}+`, 'malformed_topic'],
    ['subscribe', `${slug}#/a`, 'malformed_topic'],
    ['subscribe', '$SYS/#', 'reserved_topic'],
  ]
  for (const [action = '', asked = '', reason] of reasons) {
    const { rule: none, ...said } = await ask(app, device_id, action, asked)
    assert.deepEqual([said.allowed, said.reason, none], [false, reason, null], asked)
  }
})

test('a refused client gets the refusal, with the rule that would decide', async (t) => {
  const app = await freshTenants(t)
  const { device_id, topic } = await registerDevice(app)
  const set = (column: string, value: string) =>
    app.database.pool.query(`UPDATE devices SET ${column} = $2 WHERE id = $1`, [
      parseId('dev', device_id),
      value,
    ])
  const received = async (): Promise<unknown[]> => {
    const said = await ask(app, device_id, 'publish', `${topic}/state`)
    return [said.allowed, said.reason, said.rule.permission, said.would_connect.reason]
  }
  assert.deepEqual(await received(), [true, 'rule', 'allow', null])
  await set('approval', 'pending')
  assert.deepEqual(await received(), [false, 'client_refused', 'allow', 'not_approved'])
  await set('approval', 'approved')
  await set('status', 'suspended')
  assert.deepEqual(await received(), [false, 'client_refused', 'allow', 'suspended'])
  const principal = await seedPrincipal(app)
  const said = await ask(app, principal, 'publish', `${topic}/state`)
  assert.deepEqual(
    [said.allowed, said.rule, said.would_connect],
    [false, null, { allowed: false, reason: 'no_secret' }],
  )
})

test('a client of another workspace is not found', async (t) => {
  const app = await freshTenants(t)
  const other = await freshTenants(t)
  const clients = [(await registerDevice(other)).device_id, await seedPrincipal(other)]
  for (const client of [...clients, `dev_${'0'.repeat(26)}`]) {
    const response = await app.call('POST', `/workspaces/${app.seed.id}/mqtt/explain`, {
      as: as.platformKey(app.seed.platformKey),
      body: { client, action: 'publish', topic: 'x' },
    })
    assert.equal(response.status, 400)
    assert.deepEqual(response.body.errors, [
      { pointer: '/client', message: 'is not a device or an MQTT principal of this workspace' },
    ])
  }
})

test('rules that are not saved are simulated for a device, and change nothing', async (t) => {
  const app = await freshTenants(t)
  const device = await registerDevice(app)
  const { slug } = app.seed
  const simulate = (client: string, topic: string, template_rules: object[]) =>
    app.call('POST', `/workspaces/${app.seed.id}/mqtt/explain`, {
      as: as.platformKey(app.seed.platformKey),
      body: { client, action: 'publish', topic, template_rules },
    })
  const rule = { action: 'publish', topic: '{slug}/{device_key}/events/x', permission: 'allow' }
  const topic = `${slug}/${device.device_key}/events/x`
  assert.equal((await ask(app, device.device_id, 'publish', topic)).allowed, false)
  const { body, text } = await simulate(device.device_id, topic, [rule])
  assert.equal(body.allowed, true, text)
  assert.deepEqual([body.rule.source, body.rule.position], ['template', 1])
  assert.equal((await ask(app, device.device_id, 'publish', topic)).allowed, false)
  const state = `${slug}/${device.device_key}/state`
  assert.equal((await simulate(device.device_id, state, [rule])).body.reason, 'no_rule')
  assert.equal((await simulate(device.device_id, state, [])).body.rule.source, 'default')
  for (const wrong of ['{slug}/+/state', '{slug}/{nothing}/x']) {
    const bad = await simulate(device.device_id, topic, [{ ...rule, topic: wrong }])
    assert.deepEqual([bad.status, bad.body.errors[0].pointer], [400, '/template_rules/0/topic'])
  }
  const login = await seedPrincipal(app)
  const refused = await simulate(login, topic, [rule])
  assert.deepEqual([refused.status, refused.body.errors[0].pointer], [400, '/template_rules'])
})
