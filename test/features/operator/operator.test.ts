/**
 * Operators: they see the whole installation and help people, have no right in any workspace, and
 * lose what they may as soon as their mark is removed. Every change they make is in the audit log.
 */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { setInstallationRole } from '../../../src/features/identity/accounts/account.ts'
import { formatId, newUuid, parseId } from '../../../src/platform/lib/ids.ts'
import { INSTALLATION } from '../../../src/platform/record/event.ts'
import { as, type CallResult, type Headers, startApp, type TestApp } from '../../support/app.ts'
import { sql } from '../../support/audit-chain.ts'
import { mailTo } from '../../support/outbox.ts'
import { plansFile } from '../../support/plans.ts'
import { seedOperator, seedUser, type SeededUser } from '../../support/seed.ts'
import { enrolled, logIn, movingClock, person, signIn } from '../../support/sign-in.ts'
import { useApp } from '../../support/suite-app.ts'
import { until } from '../../support/until.ts'

const BASE = '/console/api/installation'
const clock = movingClock()

describe('an operator', () => {
  const get = useApp({ clock })
  let app: TestApp
  let operator: SeededUser
  let caller: Headers

  before(async () => {
    app = get()
    operator = await seedOperator(app.app)
    caller = as.user(operator.token)
  })

  const call = (method: string, path: string, body?: object): Promise<CallResult> =>
    app.call(method, `${BASE}${path}`, { as: caller, ...(body && { body }) })

  async function ok(method: string, path: string, body?: object): Promise<CallResult> {
    const response = await call(method, path, body)
    assert.ok(response.status < 300, `${method} ${path}: ${response.status} ${response.text}`)
    return response
  }

  /** Entries of the installation that a request has written. */
  const entriesOf = ({ headers }: CallResult) =>
    sql<{ action: string; actor_id: string; resource_id: string }>(
      app.database,
      `SELECT action, actor_id, resource_id FROM audit_log
       WHERE workspace_id = $1 AND request_id = $2 ORDER BY id`,
      [INSTALLATION, headers['x-request-id']],
    )

  async function assertRecorded(response: CallResult, ...actions: string[]): Promise<void> {
    const entries = await entriesOf(response)
    assert.deepEqual(
      entries.map(({ action }) => action),
      actions,
    )
    assert.ok(entries.every(({ actor_id }) => actor_id === operator.id))
  }

  test('reads addresses and names in place of ids', async () => {
    const [account, workspace] = [app.seed.owner.id, app.seed.id]
    const erased = formatId('usr', newUuid())
    const { body } = await ok('GET', `/names?ids=${[account, workspace, erased].join()}`)
    assert.deepEqual(body.items, [
      { id: account, label: app.seed.owner.email },
      { id: workspace, label: app.seed.slug },
    ])
    assert.deepEqual((await ok('GET', '/names')).body, { items: [] })
    const many = Array.from({ length: 51 }, () => formatId('ws', newUuid())).join()
    for (const ids of [formatId('dev', newUuid()), 'usr_1', many]) {
      assert.equal((await call('GET', `/names?ids=${ids}`)).status, 400)
    }
  })

  test('gets nothing of a workspace that way', async () => {
    const path = `/workspaces/${app.seed.id}/devices`
    const refused = await app.call('GET', path, { as: caller })
    assert.deepEqual([refused.status, refused.body.code], [404, 'workspace_not_found'])
    const { body } = await app.call('GET', '/workspaces', { as: caller })
    assert.deepEqual(body.items, [])
  })

  test('is refused everything as soon as the mark is removed', async () => {
    const other = await seedOperator(app.app)
    const health = () => app.call('GET', `${BASE}/health`, { as: as.user(other.token) })
    assert.equal((await health()).status, 200)
    await setInstallationRole(app.services, other.uuid, null)
    await until('the mark is gone', async () => (await health()).status !== 200)
    assert.deepEqual([(await health()).body.code], ['operator_required'])
    const { body } = await app.call('GET', '/auth/me', { as: as.user(other.token) })
    assert.equal(body.installation_role, null)
  })

  test('owners of workspaces see nothing of it, and cannot tell what there is', async () => {
    const owner = as.user(app.seed.owner.token)
    const texts = new Set<string>()
    for (const id of [app.seed.owner.id, formatId('usr', newUuid())]) {
      const path = `${BASE}/accounts/${id}`
      const { status, body } = await app.call('GET', path, { as: owner })
      assert.equal(status, 403)
      texts.add(`${body.code} ${body.detail}`)
    }
    assert.equal(texts.size, 1)
  })

  test('sees the health, the same as the status of the operator port', async () => {
    const { status, findings } = (await ok('GET', '/health')).body
    const { operator: port } = app.app.ports
    const response = await fetch(`http://127.0.0.1:${port}/status`)
    const shown = (await response.json()) as Record<string, unknown>
    assert.deepEqual(Object.keys(status).toSorted(), Object.keys(shown).toSorted())
    assert.equal(status.version, shown.version)
    assert.deepEqual(status.problems, [])
    assert.ok(Array.isArray(findings))
  })

  test('sees the settings without secrets', async () => {
    const { items } = (await ok('GET', '/settings')).body
    const names = items.map(({ name }: { name: string }) => name)
    assert.ok(names.includes('MOORING_CONSOLE_ADMIN') && names.includes('MOORING_MASTER_KEY'))
  })

  test('finds accounts by part of the address, page by page', async () => {
    const part = newUuid().slice(-12)
    for (const at of [1, 2, 3]) {
      const { uuid } = await seedUser(app.app)
      const text = 'UPDATE users SET email = $2 WHERE id = $1'
      await sql(app.database, text, [uuid, `${at}-${part}@example.com`])
    }
    const first = (await ok('GET', `/accounts?search=${part.toUpperCase()}&limit=2`)).body
    const { next_cursor: next } = first
    const second = (
      await ok('GET', `/accounts?search=${part.toUpperCase()}&limit=2&cursor=${next}`)
    ).body
    assert.equal(second.next_cursor, null)
    const found = [...first.items, ...second.items].map(({ email }: { email: string }) => email)
    assert.deepEqual(
      found,
      [1, 2, 3].map((at) => `${at}-${part}@example.com`),
    )
  })

  test('disables and enables an account, whose sessions end, and keeps the own one', async () => {
    const someone = await person(app)
    const { access_token: token } = await signIn(app, someone)
    const disabled = await ok('POST', `/accounts/${someone.id}/disable`)
    await assertRecorded(disabled, 'account.disabled')
    assert.deepEqual(disabled.body, { ownerless: [], keys: [] })
    await until('the session has ended', async () => {
      return (await app.call('GET', '/auth/me', { as: as.user(token) })).status === 401
    })
    const link = await call('POST', `/accounts/${someone.id}/password-link`)
    assert.equal(link.body.code, 'invalid_transition')
    await assertRecorded(await ok('POST', `/accounts/${someone.id}/enable`), 'account.enabled')
    assert.equal((await logIn(app, someone.email)).status, 200)
    const own = await call('POST', `/accounts/${operator.id}/disable`)
    assert.deepEqual([own.status, own.body.code], [409, 'invalid_transition'])
    const nobody = await call('GET', `/accounts/${formatId('usr', newUuid())}`)
    assert.deepEqual([nobody.status, nobody.body.code], [404, 'account_not_found'])
  })

  test('helps somebody who has lost the authenticator', async () => {
    const someone = await enrolled(app, clock)
    const removed = await ok('DELETE', `/accounts/${someone.id}/factors`)
    await assertRecorded(removed, 'mfa.removed')
    const { body } = await ok('GET', `/accounts/${someone.id}`)
    assert.deepEqual([body.authenticator, body.second_factor], [false, false])
    const [mail] = await mailTo(app, someone.email)
    assert.match(mail?.subject ?? '', /authenticator was removed/)
    const ended = await ok('DELETE', `/accounts/${someone.id}/sessions`)
    await assertRecorded(ended, 'account.sessions_ended')
  })

  test('cannot become another operator', async () => {
    const { id } = await seedOperator(app.app)
    for (const [method, path] of [
      ['POST', 'password-link'],
      ['DELETE', 'factors'],
    ] as const) {
      const { status, body } = await call(method, `/accounts/${id}/${path}`)
      assert.deepEqual([status, body.code], [409, 'invalid_transition'])
      assert.match(body.detail, /mooring accounts reset-password/)
    }
  })

  test('without a mail server, hands on a link that sets a password, once', async () => {
    const email = `${newUuid()}@example.com`
    const made = await ok('POST', '/accounts', { email, name: 'Grace' })
    await assertRecorded(made, 'account.created', 'account.password_link_issued')
    const again = await call('POST', '/accounts', { email })
    assert.deepEqual([again.status, again.body.code], [400, 'invalid_request'])
    const token = String(made.body.url).split('#token=')[1]
    const body = { token, password: 'nineteen copper lanterns' }
    const confirm = () => app.call('POST', '/console/api/password-resets/confirm', { body })
    assert.equal((await confirm()).status, 204)
    assert.equal((await confirm()).body.code, 'link_not_found')
    assert.equal((await logIn(app, email, body.password)).status, 200)
    const path = `/accounts/${made.body.id}/password-link`
    for (let link = 0; link < 4; link += 1)
      assert.equal((await ok('POST', path)).body.mailed, false)
    assert.equal((await call('POST', path)).body.code, 'limit_reached')
  })

  test('restores a deleted workspace', async () => {
    const { other } = app.seed
    const body = { confirm: other.slug }
    const path = `/workspaces/${other.id}`
    const owner = as.user(other.owner.token)
    assert.equal((await app.call('DELETE', path, { as: owner, body })).status, 202)
    const { items } = (await ok('GET', `/workspaces?search=${other.slug}`)).body
    assert.deepEqual([items[0].status, items[0].members], ['deleting', 1])
    const restored = await ok('POST', `/workspaces/${other.id}/restore`)
    assert.equal(restored.body.has_owner, true)
    await assertRecorded(restored, 'workspace.restored')
    const again = await call('POST', `/workspaces/${other.id}/restore`)
    assert.deepEqual([again.status, again.body.code], [404, 'workspace_not_found'])
    const facts = (await ok('GET', `/workspaces/${other.id}`)).body
    assert.deepEqual([facts.status, facts.people[0].email], ['active', other.owner.email])
  })

  test('starts one examination of a broker at a time, whose end is reported', async () => {
    const start = () => call('POST', '/doctor-runs', { broker: 'embedded' })
    const started = await Promise.all(Array.from({ length: 10 }, start))
    const [made, ...more] = started.filter(({ status }) => status === 201)
    assert.ok(made !== undefined)
    const refused = started.filter(({ status }) => status !== 201)
    assert.ok(refused.every(({ body }) => body.code === 'doctor_run_in_progress'))
    await assertRecorded(made, 'doctor.started')
    let run = made.body
    await until('it has ended', async () => {
      run = (await ok('GET', `/doctor-runs/${run.id}`)).body
      return run.ended_at !== null
    })
    // This process was not given what examines brokers.
    assert.deepEqual([run.status, run.results], ['failed', []])
    assert.match(run.problem, /mooring doctor/)
    const { items } = (await ok('GET', '/doctor-runs')).body
    assert.equal(items.length, more.length + 1)
    const unknown = await call('POST', '/doctor-runs', { broker: 'nobody' })
    assert.equal(unknown.body.code, 'broker_not_found')
    const nobody = await call('GET', `/doctor-runs/${formatId('run', newUuid())}`)
    assert.equal(nobody.body.code, 'doctor_run_not_found')
  })

  test('sees brokers, tasks, invitations and invoices of all', async () => {
    const { items: brokers } = (await ok('GET', '/brokers')).body
    assert.deepEqual([brokers[0].name, brokers[0].bridge], ['embedded', null])
    const { items: tasks } = (await ok('GET', '/tasks?status=waiting')).body
    assert.ok(tasks.some(({ task }: { task: string }) => task === 'mail.forget'))
    await sql(
      app.database,
      `INSERT INTO invoices (workspace_id, id, status, period_start, period_end, currency, number,
         content, subtotal, tax, total, balance_used, issued_at, due_at)
       VALUES ($1, $2, 'overdue', '2026-01-01', '2026-02-01', 'EUR', 900,
         '{"buyer": ["Acme Ltd", "1 Quay"]}', 100, 19, 119, 0, '2026-02-01', '2026-02-15')`,
      [app.seed.uuid, newUuid()],
    )
    for (const path of ['/invoices', '/invoices?due=true']) {
      const [invoice] = (await ok('GET', path)).body.items
      assert.partialDeepStrictEqual(invoice, {
        customer: 'Acme Ltd',
        workspace_id: app.seed.id,
        issued_at: '2026-02-01T00:00:00.000Z',
      })
    }
    const body = { email: 'invited@example.com', role: 'viewer' }
    const path = `/workspaces/${app.seed.id}/invitations`
    const invited = await app.call('POST', path, { as: as.user(app.seed.owner.token), body })
    assert.equal(invited.status, 201, invited.text)
    await until('its mail is kept', async () => {
      const { items } = (await ok('GET', '/invitations')).body
      const one = items.find(({ id }: { id: string }) => id === invited.body.id)
      assert.equal(one.workspace_id, app.seed.id)
      return one.mail === 'kept'
    })
  })

  test('reads the audit log of the installation, and verifies its chain', async () => {
    const listed = await ok('GET', '/audit-log?action=account.created')
    assert.ok(listed.body.items.length > 0)
    await until('it is in the chain', async () => {
      const { body } = await ok('GET', '/audit-log/verify')
      assert.equal(body.valid, true, body.reason)
      return body.unsealed === 0
    })
    const [{ id }] = listed.body.items
    const values = [parseId('aud', id), INSTALLATION]
    const text = `UPDATE audit_log SET action = 'account.enabled' WHERE id = $1 AND workspace_id = $2`
    await sql(app.database, text, values)
    const { body } = await ok('GET', '/audit-log/verify')
    assert.deepEqual([body.valid, body.reason], [false, 'entry_altered'])
  })
})

describe('an operator of a service whose mail server does not answer', () => {
  const environment = {
    MOORING_SMTP_URL: 'smtp://127.0.0.1:1',
    MOORING_MAIL_FROM: 'mooring@example.com',
  }
  const get = useApp({ environment })

  async function opened() {
    const app = get()
    const { token } = await seedOperator(app.app)
    const caller = as.user(token)
    return {
      app,
      call: (method: string, path: string) => app.call(method, `${BASE}${path}`, { as: caller }),
    }
  }

  test('never sees a link: it is mailed to the account', async () => {
    const { app, call } = await opened()
    const someone = await person(app)
    const { status, body } = await call('POST', `/accounts/${someone.id}/password-link`)
    assert.deepEqual([status, body], [200, { mailed: true, url: null }])
    await until('the mail', async () => (await mailTo(app, someone.email)).length > 0)
    const { items } = (await call('GET', '/mails?status=queued')).body
    assert.ok(items.some(({ to }: { to: string }) => to === someone.email))
  })

  async function givenUp(app: TestApp): Promise<string> {
    const id = newUuid()
    const text = app.services.keyring.encrypt(Buffer.from('secret link'), `mail_outbox ${id}`)
    await sql(
      app.database,
      `INSERT INTO mail_outbox (workspace_id, id, recipient, subject, sealed_text, status, ended_at)
       VALUES ($1, $2, 'lost@example.com', 'Lost', $3, 'failed', now())`,
      [INSTALLATION, id, text],
    )
    return formatId('mail', id)
  }

  test('has a mail sent again: one of twenty who ask at once', async () => {
    const { app, call } = await opened()
    const id = await givenUp(app)
    const ask = () => call('POST', `/mails/${id}/retry`)
    const responses = await Promise.all(Array.from({ length: 20 }, ask))
    const done = responses.filter(({ status }) => status === 204)
    assert.equal(done.length, 1)
    const text = `SELECT request_id FROM audit_log WHERE action = 'mail.retried'`
    const entries = await sql<{ request_id: string }>(app.database, text)
    assert.deepEqual(
      entries.map(({ request_id }) => request_id),
      [done[0]?.headers['x-request-id']],
    )
    const others = responses.filter(({ status }) => status !== 204)
    assert.ok(others.every(({ body }) => body.code === 'invalid_transition'))
    const listed = await call('GET', '/mails')
    assert.ok(listed.body.items.some((mail: { id: string }) => mail.id === id))
    assert.ok(!listed.text.includes('secret link'))
    const nobody = await call('POST', `/mails/${formatId('mail', newUuid())}/retry`)
    assert.equal(nobody.body.code, 'mail_not_found')
  })
})

describe('an operator, of the plan of a workspace', () => {
  async function planOf(app: TestApp) {
    const { token } = await seedOperator(app.app)
    const read = async (path: string) =>
      (await app.call('GET', `${BASE}/workspaces${path}`, { as: as.user(token) })).body
    const one = await read(`/${app.seed.id}`)
    const { items } = await read(`?search=${app.seed.slug}`)
    assert.deepEqual([items[0].plan, items[0].plan_is_default], [one.plan, one.plan_is_default])
    return [one.plan, one.plan_is_default]
  }

  test('sees the default one until another is chosen, and none where there are none', async (t) => {
    const app = await startApp(t, { environment: { MOORING_PLANS_FILE: plansFile() } })
    assert.deepEqual(await planOf(app), ['Free', true])
    const path = `/workspaces/${app.seed.id}/subscription`
    const chosen = await app.call('PUT', path, {
      as: as.user(app.seed.owner.token),
      body: { plan_id: 'free' },
    })
    assert.equal(chosen.status, 200, chosen.text)
    assert.deepEqual(await planOf(app), ['Free', false])
    const plain = await startApp(t)
    assert.deepEqual(await planOf(plain), [null, false])
  })
})

test('with MOORING_CONSOLE_ADMIN=off there is no installation area', async (t) => {
  const app = await startApp(t, { environment: { MOORING_CONSOLE_ADMIN: 'off' } })
  const { token } = await seedOperator(app.app)
  const { status, body } = await app.call('GET', `${BASE}/health`, { as: as.user(token) })
  assert.deepEqual([status, body.code], [404, 'not_found'])
  const config = await app.call('GET', '/console/api/config')
  assert.equal(config.body.installation, false)
})
