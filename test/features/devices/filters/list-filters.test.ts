/** The filter of the lists that are not of devices. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatId, newUuid } from '../../../../src/platform/lib/ids.ts'
import { as } from '../../../support/app.ts'
import { expectEach, list } from '../../../support/filters.ts'
import { seedUser } from '../../../support/seed.ts'
import { useTenants } from '../../../support/suite-app.ts'

const freshTenants = useTenants()

test('keys are found by kind and name', async (t) => {
  const app = await freshTenants(t)
  const { call, seed } = app
  const keys = `/workspaces/${seed.id}/api-keys`
  const caller = { as: as.platformKey(seed.platformKey) }
  for (const name of ['Line 1', 'Line 2', 'Office']) {
    await call('POST', keys, { ...caller, body: { key_kind: 'provision', name } })
  }
  const { body } = await call(
    'GET',
    `${keys}?filter=${encodeURIComponent('name = "Line 1"')}`,
    caller,
  )
  await call('DELETE', `${keys}/${body.items[0].id}`, caller)
  await expectEach(app, 'api-keys', 'name', [
    ['name = "Line*"', ['Line 2', 'Line 1']],
    ['name = "Line*" AND status = active', ['Line 2']],
    ['status = revoked OR name = Office', ['Office', 'Line 1']],
    ['status != active', ['Line 1']],
    ['key_kind = platform', ['seed']],
    ['NOT name = "Line*" AND NOT name = seed', ['Office']],
    ['created_by = seed AND key_kind = platform', ['seed']],
    ['created_at < 2020-01-01', []],
    ['name:* AND created_at > 2020-01-01', ['Office', 'Line 2', 'Line 1', 'seed', 'seed']],
  ])
  const kind = await list(app, 'api-keys', { filter: 'status = active', key_kind: 'platform' })
  assert.equal(kind.body.items.length, 1)
})

test('templates are found by model and name', async (t) => {
  const app = await freshTenants(t)
  for (const [model_key, name] of [
    ['th-2', 'Climate'],
    ['th-3', "It's 100%"],
  ]) {
    const { status } = await app.call('POST', `/workspaces/${app.seed.id}/device-templates`, {
      as: as.platformKey(app.seed.platformKey),
      body: { model_key, name, serial_format: 'T-%#f' },
    })
    assert.equal(status, 201)
  }
  await expectEach(app, 'device-templates', 'model_key', [
    ['model_key = "th-*"', ['th-3', 'th-2']],
    ['model_key = "th-*" AND name != Climate', ['th-3']],
    [`name = "It's 100%"`, ['th-3']],
    ['name = "%"', []],
  ])
})

test('audit entries are found by actor, action, resource and time', async (t) => {
  const app = await freshTenants(t)
  const insert = `INSERT INTO audit_log (workspace_id, id, actor_kind, actor_id, action,
    resource_kind, resource_id, address, occurred_at)
    VALUES ($1, $2, 'user', $3, $4, 'device', $5, $6, now() - make_interval(mins => $7))`
  const entries: [string | null, string, string, string | null, number][] = [
    ['usr_a', 'device.updated', 'dev_1', '10.0.0.1', 3],
    ['usr_b', 'device.deleted', 'dev_1', null, 2],
    [null, 'device.suspended', 'dev_2', '10.0.0.1', 1],
  ]
  for (const entry of entries) {
    await app.database.pool.query(insert, [app.seed.uuid, newUuid(), ...entry])
  }
  const recent = new Date(Date.now() - 90_000).toISOString()
  await expectEach(app, 'audit-log', 'action', [
    ['actor = usr_a', ['device.updated']],
    ['actor = usr_a OR actor = usr_b', ['device.deleted', 'device.updated']],
    ['resource = dev_1 AND action = "device.d*"', ['device.deleted']],
    ['resource = dev_1 AND actor != usr_b', ['device.updated']],
    ['action = "device.*" AND NOT actor:*', ['device.suspended']],
    ['address = 10.0.0.1', ['device.suspended', 'device.updated']],
    [`occurred_at >= ${recent} AND address:*`, ['device.suspended']],
    [`occurred_at < ${recent} AND resource = dev_1`, ['device.deleted', 'device.updated']],
  ])
  const both = await list(app, 'audit-log', { filter: 'resource = dev_1', actor: 'usr_b' })
  assert.equal(both.body.items.length, 1)
})

test('members are found by name, address and role', async (t) => {
  const app = await freshTenants(t)
  const { owner } = app.seed
  const viewer = await seedUser(app.app, { [app.seed.uuid]: 'viewer' })
  const member = await seedUser(app.app, { [app.seed.uuid]: 'member' })
  await expectEach(app, 'members', 'user_id', [
    ['role = viewer', [viewer.id]],
    ['role != owner', [member.id, viewer.id]],
    [`email = "${owner.email}"`, [owner.id]],
    [`email = "${owner.email.slice(0, -3)}*" AND role = viewer`, []],
    ['joined_at > 2020-01-01', [member.id, viewer.id, owner.id]],
    ['joined_at < 2020-01-01', []],
  ])
})

test('invitations are found by address and status', async (t) => {
  const app = await freshTenants(t)
  const path = `/workspaces/${app.seed.id}/invitations`
  const caller = { as: as.user(app.seed.owner.token) }
  const sent: string[] = []
  for (const [email, role] of [
    ['ann@example.com', 'admin'],
    ['bob@example.com', 'viewer'],
    ['cleo@example.com', 'viewer'],
  ]) {
    const { body } = await app.call('POST', path, { ...caller, body: { email, role } })
    sent.push(body.id)
  }
  await app.call('DELETE', `${path}/${sent[1]}`, caller)
  await app.database.pool.query(
    `UPDATE invitations SET expires_at = now() - interval '1 second'
     WHERE workspace_id = $1 AND email = 'cleo@example.com'`,
    [app.seed.uuid],
  )
  await expectEach(app, 'invitations', 'email', [
    ['role = viewer', ['cleo@example.com', 'bob@example.com']],
    ['status = expired OR status = pending', ['cleo@example.com', 'ann@example.com']],
    ['status = revoked', ['bob@example.com']],
    ['email = "a*"', ['ann@example.com']],
    ['expires_at > 2020-01-01 AND role = admin', ['ann@example.com']],
  ])
  const both = await list(app, 'invitations', { filter: 'role = viewer', status: 'expired' })
  assert.equal(both.body.items.length, 1)
})

test('groups are found by name and kind', async (t) => {
  const app = await freshTenants(t)
  for (const body of [{ name: 'By hand' }, { name: 'By tag', filter: 'tags.a = b' }]) {
    await app.call('POST', `/workspaces/${app.seed.id}/device-groups`, {
      as: as.platformKey(app.seed.platformKey),
      body,
    })
  }
  await expectEach(app, 'device-groups', 'name', [
    ['kind = static', ['By hand']],
    ['kind = dynamic', ['By tag']],
    ['name = "By*"', ['By tag', 'By hand']],
    ['created_at < 2020-01-01', []],
  ])
})

test('jobs and campaigns are found by action, creator and time', async (t) => {
  const app = await freshTenants(t)
  const jobs: [string, string, string | null][] = [
    ['tag', 'completed', 'usr_a'],
    ['suspend', 'failed', 'usr_b'],
    ['tag', 'cancelled', null],
  ]
  for (const [action, status, actor] of jobs) {
    await app.database.pool.query(
      `INSERT INTO jobs (workspace_id, id, action, status, actor_kind, actor_id, ended_at)
       VALUES ($1, $2, $3, $4, 'user', $5, now())`,
      [app.seed.uuid, newUuid(), action, status, actor],
    )
    await app.database.pool.query(
      `INSERT INTO rotation_campaigns (workspace_id, id, status, wave_size, pause_s,
         confirm_within_s, max_failure_rate, actor_kind, actor_id, ended_at)
       VALUES ($1, $2, $3, 1, 0, 60, 0, 'user', $4, now())`,
      [app.seed.uuid, newUuid(), status, actor],
    )
  }
  await expectEach(app, 'jobs', 'status', [
    ['action = tag', ['cancelled', 'completed']],
    ['action = tag AND NOT status = cancelled', ['completed']],
    ['created_by = usr_b', ['failed']],
    ['NOT created_by:*', ['cancelled']],
    ['ended_at > 2020-01-01 AND status != failed', ['cancelled', 'completed']],
  ])
  await expectEach(app, 'rotation-campaigns', 'status', [
    ['status = completed OR status = failed', ['failed', 'completed']],
    ['created_by = "usr_*"', ['failed', 'completed']],
    ['created_at < 2020-01-01', []],
  ])
  const both = await list(app, 'jobs', { filter: 'action = tag', status: 'completed' })
  assert.equal(both.body.items.length, 1)
})

test('invoices and payments are found by status, cause and time', async (t) => {
  const app = await freshTenants(t)
  const { pool } = app.database
  const [invoice, other, third] = [newUuid(), newUuid(), newUuid()]
  for (const [id, month, status] of [
    [invoice, '2026-01-01', 'draft'],
    [other, '2026-02-01', 'draft'],
    [third, '2026-03-01', 'draft'],
  ]) {
    await pool.query(
      `INSERT INTO invoices (workspace_id, id, status, period_start, period_end, currency)
       VALUES ($1, $2, $3, $4, $4::timestamptz + interval '1 month', 'EUR')`,
      [app.seed.uuid, id, status, month],
    )
  }
  await expectEach(app, 'invoices', 'id', [
    ['status = draft', [third, other, invoice].map((id) => formatId('inv', id))],
    ['period_start < 2026-02-01', [formatId('inv', invoice)]],
    ['due_at > 2020-01-01', []],
  ])
  for (const [kind, of, status, code] of [
    ['invoice', invoice, 'failed', 'card_declined'],
    ['top_up', null, 'failed', 'expired_card'],
    ['invoice', other, 'failed', 'card_declined'],
  ]) {
    await pool.query(
      `INSERT INTO payments (workspace_id, id, kind, invoice_id, provider, status, amount,
         currency, failure_code, created_by, ended_at)
       VALUES ($1, $2, $3, $4, 'stripe', $5, 100, 'EUR', $6, 'usr_a', now())`,
      [app.seed.uuid, newUuid(), kind, of, status, code],
    )
  }
  await expectEach(app, 'payments', 'kind', [
    ['failure.code = card_declined', ['invoice', 'invoice']],
    [`invoice_id = ${formatId('inv', invoice)}`, ['invoice']],
    ['kind = top_up AND status = failed', ['top_up']],
    ['ended_at < 2020-01-01', []],
  ])
  const both = await list(app, 'payments', {
    filter: 'failure.code = card_declined',
    invoice_id: formatId('inv', other),
  })
  assert.equal(both.body.items.length, 1)
})

test('entries of the balance are found by their source', async (t) => {
  const app = await freshTenants(t)
  const { pool } = app.database
  for (const key of ['credit:a', 'invoice:b']) {
    await pool.query(
      `WITH made AS (INSERT INTO ledger_transactions (workspace_id, id, key, currency, entries)
         VALUES ($1, $2, $3, 'EUR', 2) RETURNING id)
       INSERT INTO ledger_entries
       SELECT $1, id, line.* FROM made, (VALUES (1, 'adjustments', 'EUR', 5), (2, 'balance', 'EUR', -5)) line`,
      [app.seed.uuid, newUuid(), key],
    )
  }
  await expectEach(app, 'balance/entries', 'reference', [
    ['reference = "credit:*"', ['credit:a']],
    ['created_at > 2020-01-01', ['invoice:b', 'credit:a']],
  ])
  const [entry] = (await list(app, 'balance/entries', { limit: 1 })).body.items
  assert.deepEqual([entry.prepaid_change, entry.lines.length], [5, 2])
})

test('a rare entry is found beyond the entries that one page examines', async (t) => {
  const app = await freshTenants(t)
  await app.database.pool.query(
    `INSERT INTO api_keys (workspace_id, id, kind, name, hash, hint, created_by, created_at)
     SELECT $1, gen_random_uuid(), 'provision', CASE n WHEN 1 THEN 'rare' ELSE 'usual' END,
            sha256(gen_random_uuid()::text::bytea), '', 'test', now()
     FROM generate_series(1, 12000) AS n`,
    [app.seed.uuid],
  )
  await expectEach(app, 'api-keys', 'name', [['name = rare', ['rare']]])
})

test('a filter that a list does not have is refused with its place', async (t) => {
  const app = await freshTenants(t)
  for (const [path, filter, message] of [
    ['api-keys', 'status = gone', /character 10: status must be active, expired or revoked$/],
    ['api-keys', 'name > a', /character 6: name can only be compared with =, != or :$/],
    ['api-keys', 'name = "*a"', /optionally with a \* at its end/],
    [
      'device-templates',
      'name = a AND colour = red',
      /character 14: there is no such field; the fields are model_key, name/,
    ],
    ['audit-log', 'occurred_at > soon', /a time such as/],
    ['audit-log', 'actor = a OR', /character 13/],
    ['payments', 'invoice_id = pay_1', /character 14: invoice_id must be an id, inv_…/],
    ['payments', 'invoice_id:*', /character 11: invoice_id can only be compared with = or !=$/],
  ] as const) {
    const { status, body } = await list(app, path, { filter })
    assert.equal(status, 400, filter)
    assert.equal(body.errors[0].pointer, '/query/filter')
    assert.match(body.errors[0].message, message)
  }
})
