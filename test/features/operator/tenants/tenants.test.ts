/** Workspaces as operators see them, with what is invited and invoiced: they get no right there. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { newUuid } from '../../../../src/platform/lib/ids.ts'
import { as, startApp, type TestApp } from '../../../support/app.ts'
import { sql } from '../../../support/audit-chain.ts'
import { plansFile } from '../../../support/plans.ts'
import { useApp } from '../../../support/suite-app.ts'
import { until } from '../../../support/until.ts'
import { operatorOf, type Operator } from '../operators.ts'

describe('an operator', () => {
  const get = useApp()
  let app: TestApp
  let operator: Operator

  before(async () => {
    app = get()
    operator = await operatorOf(app)
  })

  test('has no access to the data of a workspace', async () => {
    const path = `/workspaces/${app.seed.id}/devices`
    const refused = await app.call('GET', path, { as: operator.caller })
    assert.deepEqual([refused.status, refused.body.code], [404, 'workspace_not_found'])
    const { body } = await app.call('GET', '/workspaces', { as: operator.caller })
    assert.deepEqual(body.items, [])
  })

  test('restores a deleted workspace', async () => {
    const { other } = app.seed
    const body = { confirm: other.slug }
    const path = `/workspaces/${other.id}`
    const owner = as.user(other.owner.token)
    assert.equal((await app.call('DELETE', path, { as: owner, body })).status, 202)
    const { items } = (await operator.ok('GET', `/workspaces?search=${other.slug}`)).body
    assert.deepEqual([items[0].status, items[0].members], ['deleting', 1])
    const restored = await operator.ok('POST', `/workspaces/${other.id}/restore`)
    assert.equal(restored.body.has_owner, true)
    await operator.assertRecorded(restored, 'workspace.restored')
    const again = await operator.call('POST', `/workspaces/${other.id}/restore`)
    assert.deepEqual([again.status, again.body.code], [404, 'workspace_not_found'])
    const facts = (await operator.ok('GET', `/workspaces/${other.id}`)).body
    assert.deepEqual([facts.status, facts.people[0].email], ['active', other.owner.email])
  })

  test('sees invitations and invoices of all', async () => {
    await sql(
      app.database,
      `INSERT INTO invoices (workspace_id, id, status, period_start, period_end, currency, number,
         content, subtotal, tax, total, balance_used, issued_at, due_at)
       VALUES ($1, $2, 'overdue', '2026-01-01', '2026-02-01', 'EUR', 900,
         '{"buyer": ["Acme Ltd", "1 Quay"]}', 100, 19, 119, 0, '2026-02-01', '2026-02-15')`,
      [app.seed.uuid, newUuid()],
    )
    for (const path of ['/invoices', '/invoices?due=true']) {
      const [invoice] = (await operator.ok('GET', path)).body.items
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
      const { items } = (await operator.ok('GET', '/invitations')).body
      const one = items.find(({ id }: { id: string }) => id === invited.body.id)
      assert.equal(one.workspace_id, app.seed.id)
      return one.mail === 'kept'
    })
  })
})

describe('an operator who reads the plan of a workspace', () => {
  async function planOf(app: TestApp) {
    const { ok } = await operatorOf(app)
    const read = async (path: string) => (await ok('GET', `/workspaces${path}`)).body
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
