/** Records of own rules: findings in the response, audit entries and events. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { as } from '../../../support/app.ts'
import { registerDevice } from '../../../support/commands.ts'
import { addRules, aclsOf, seedPrincipal } from '../../../support/mqtt-rules.ts'
import { useTenants } from '../../../support/suite-app.ts'

const freshTenants = useTenants()

test('rules that do nothing are named as they are written, and in the list', async (t) => {
  const app = await freshTenants(t)
  const device = await registerDevice(app)
  const call = aclsOf(app, device.device_id)
  const [, second, third] = await addRules(
    call,
    'allow subscribe {slug}/news/#',
    `deny subscribe {slug}/news/${device.device_key}`,
    'allow subscribe {slug}/news/{device_key}',
  )
  const one = { source: 'device', id: (await call('GET')).body.items[0].id, position: 1 }
  assert.deepEqual(second.findings, [
    {
      kind: 'shadowed',
      rule: { source: 'device', id: second.id, position: 2 },
      actions: ['subscribe'],
      by: [one],
      message: 'It keeps no message away: before it rule 1 decides on all of its topics.',
    },
  ])
  assert.deepEqual(third.findings[1], {
    kind: 'unreachable',
    rule: { source: 'device', id: third.id, position: 3 },
    actions: ['subscribe'],
    by: [one],
    message: 'It never decides: before it rule 1 does, on all that it matches.',
  })
  const [fourth] = await addRules(call, 'allow publish {slug}/{device_key}/state')
  assert.deepEqual((await call('GET')).body.findings, fourth.findings)
  const last = fourth.findings.at(-1)
  assert.deepEqual(
    [last.kind, last.by, last.message],
    [
      'redundant',
      [{ source: 'default', id: null, position: 2 }],
      'Without it default rule 2 would decide the same.',
    ],
  )
})

test('a template hears of its rules that do nothing before it is changed', async (t) => {
  const app = await freshTenants(t)
  const { call, seed } = app
  const mqtt_acl = [
    { action: 'subscribe', topic: '{slug}/{device_key}/#', permission: 'deny' },
    { action: 'subscribe', topic: '{slug}/{device_key}/cmd', permission: 'allow' },
  ]
  const path = `/workspaces/${seed.id}/device-templates/${seed.template.id}?dry_run=true`
  const tried = await call('PATCH', path, { as: as.user(seed.owner.token), body: { mqtt_acl } })
  const found = tried.body.effect.findings.map(({ kind, rule }: { kind: string; rule: object }) => [
    kind,
    rule,
  ])
  const at = (position: number) => ({ source: 'template', id: null, position })
  assert.deepEqual(found, [
    ['redundant', at(1)],
    ['unreachable', at(2)],
  ])
})

interface Entry {
  action: string
  detail: { change: string; before: unknown; after: unknown }
}

test('each change is in the audit log and among the events, with what was and what is', async (t) => {
  const app = await freshTenants(t)
  const rule = (topic: string, permission: string, position: number) => ({
    action: 'publish',
    topic: `{slug}/${topic}`,
    permission,
    position,
  })
  for (const owner of [(await registerDevice(app)).device_id, await seedPrincipal(app)]) {
    const call = aclsOf(app, owner)
    const [a, b] = await addRules(call, 'allow publish {slug}/a', 'deny publish {slug}/b')
    await call('PATCH', `/${a.id}`, { permission: 'deny' })
    await call('PUT', '/reorder', { acl_ids: [b.id, a.id] })
    await call('PUT', '/reorder', { acl_ids: [b.id, a.id] })
    await call('DELETE', `/${b.id}`)
    const action = owner.startsWith('dev_') ? 'device.acl_changed' : 'mqtt_principal.acl_changed'
    const path = `/workspaces/${app.seed.id}/audit-log?resource=${owner}&limit=5`
    const { body } = await app.call('GET', path, { as: as.user(app.seed.owner.token) })
    const entries: Entry[] = body.items
    assert.ok(entries.every((entry) => entry.action === action))
    assert.deepEqual(
      entries.map(({ detail: { change, before, after } }) => [change, before, after]),
      [
        ['deleted', rule('b', 'deny', 1), null],
        ['reordered', { acl_ids: [a.id, b.id] }, { acl_ids: [b.id, a.id] }],
        ['updated', rule('a', 'allow', 1), rule('a', 'deny', 1)],
        ['created', null, rule('b', 'deny', 2)],
        ['created', null, rule('a', 'allow', 1)],
      ],
    )
    const { rows } = await app.database.pool.query<{ change: string }>(
      `SELECT data->>'change' AS change FROM events WHERE workspace_id = $1 AND type = $2
       ORDER BY id`,
      [app.seed.uuid, action],
    )
    const received = rows.map(({ change }) => change)
    assert.deepEqual(received, ['created', 'created', 'updated', 'reordered', 'deleted'])
  }
})
