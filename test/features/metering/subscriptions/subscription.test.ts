/** Plans and subscriptions: the choice, the time from which it holds, and its record. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { unnamed } from '../../../../src/platform/database/connect.ts'
import { termsBetween } from '../../../../src/features/metering/subscriptions/subscription-lock.ts'
import { as, type TestApp } from '../../../support/app.ts'
import { useBilledTenants } from '../../../support/billing.ts'
import { examplePlans, plansFile } from '../../../support/plans.ts'
import { seedUser } from '../../../support/seed.ts'
import { until } from '../../../support/until.ts'

const file = examplePlans()
const paid = file.plans[1] as (typeof file.plans)[number]
file.plans.push({ ...paid, id: 'dollars', currency: 'USD' })
const tenants = useBilledTenants({ environment: { MOORING_PLANS_FILE: plansFile(file) } })

const owner = ({ seed }: TestApp) => ({ as: as.user(seed.owner.token) })
const path = ({ seed }: TestApp): string => `/workspaces/${seed.id}/subscription`
const choose = (app: TestApp, plan_id: string, more: object = {}, headers = {}) =>
  app.call('PUT', path(app), { ...owner(app), headers, body: { plan_id, ...more } })

/** As if the plan had been chosen an hour before. */
const anHourPasses = (app: TestApp) =>
  app.database.query(
    unnamed(
      `UPDATE subscription_terms SET starts_at = starts_at - interval '1 hour'
       WHERE workspace_id = $1`,
    ),
    [app.seed.uuid],
  )

describe('a subscription', () => {
  test('that uses a plan of the file needs no memory for a copy of it', async (t) => {
    const app = await tenants(t)
    assert.equal((await choose(app, paid.id)).status, 200)
    await until(
      'it holds',
      async () => (await app.services.plans.of(app.seed.uuid))?.id === paid.id,
    )
    assert.equal(await app.services.plans.of(app.seed.uuid), app.services.plans.find(paid.id))
  })

  test('is to the default plan until another one is chosen', async (t) => {
    const app = await tenants(t)
    const { status, body } = await app.call('GET', path(app), owner(app))
    assert.equal(status, 200)
    assert.deepEqual([body.plan.id, body.is_default, body.is_current], ['free', true, true])
    assert.equal((await app.services.plans.of(app.seed.uuid))?.id, 'free')
  })

  test('can be to any plan that is listed, which custom ones are not', async (t) => {
    const app = await tenants(t)
    const { body } = await app.call('GET', '/plans', owner(app))
    const ids = body.items.map(({ id }: { id: string }) => id)
    assert.deepEqual(ids, ['free', 'pay-as-you-go', 'dollars'])
    for (const id of ['acme-2026', 'nothing']) {
      const refused = await choose(app, id)
      assert.equal(refused.status, 400)
      assert.equal(refused.body.errors[0].pointer, '/plan_id')
    }
  })

  test('reaches every process, and has an event', async (t) => {
    const app = await tenants(t)
    const other = await app.sibling()
    assert.equal((await other.services.plans.of(app.seed.uuid))?.id, 'free')
    const chosen = await choose(app, 'pay-as-you-go', { billing_details: { name: 'Ä GmbH' } })
    assert.equal(chosen.status, 200, chosen.text)
    assert.deepEqual(
      [chosen.body.plan.id, chosen.body.currency, chosen.body.billing_details],
      ['pay-as-you-go', 'EUR', { name: 'Ä GmbH' }],
    )
    assert.match(chosen.body.starts_at, /:00:00\.000Z$/)
    await until('the other process knows', async () => {
      return (await other.services.plans.of(app.seed.uuid))?.id === 'pay-as-you-go'
    })
    let received = ''
    await until('the feed contains the event', async () => {
      const { body } = await app.call('GET', `/workspaces/${app.seed.id}/events`, owner(app))
      const event = body.items.find(({ type }: { type: string }) => type.startsWith('subscr'))
      received = JSON.stringify(event?.data ?? '')
      return event !== undefined
    })
    assert.match(received, /"plan_id":"pay-as-you-go"/)
    assert.ok(!received.includes('GmbH'), 'events do not contain billing details')
  })

  test('changes once an hour, also with concurrent requests', async (t) => {
    const app = await tenants(t)
    const responses = await Promise.all(
      ['free', 'pay-as-you-go', 'free', 'pay-as-you-go'].map((id) => choose(app, id)),
    )
    const statuses = responses.map(({ status }) => status).toSorted((a, b) => a - b)
    // A request for the present state changes nothing.
    assert.deepEqual(statuses, [200, 200, 409, 409])
    const refused = responses.find(({ status }) => status === 409)
    assert.equal(refused?.body.code, 'subscription_just_changed')
    assert.ok(Number(refused?.headers['retry-after']) <= 3_600)
    await anHourPasses(app)
    const now = (await app.call('GET', path(app), owner(app))).body.plan.id
    const next = await choose(app, now === 'free' ? 'pay-as-you-go' : 'free')
    assert.equal(next.status, 200, next.text)
  })

  test('to a plan of tighter limits has its limits at once, and its prices from the next hour', async (t) => {
    const app = await tenants(t)
    assert.equal((await choose(app, 'pay-as-you-go')).status, 200)
    const refused = await choose(app, 'free')
    assert.equal(refused.body.code, 'subscription_just_changed')
    await anHourPasses(app)
    const before = (await app.call('GET', path(app), owner(app))).body
    const now = Date.now()
    const chosen = await choose(app, 'free')
    assert.equal(chosen.status, 200, chosen.text)
    await until('its limits hold', async () => {
      return (await app.services.plans.of(app.seed.uuid))?.id === 'free'
    })
    // Usage in this hour, without these limits, is charged to the plan that had none.
    const startsAt = Date.parse(chosen.body.starts_at)
    assert.ok(startsAt > now && startsAt <= now + 3_660_000)
    const terms = await termsBetween(app.database, app.seed.uuid, 0, startsAt + 3_600_000)
    assert.deepEqual(
      terms.map((term) => [term.plan.id, term.from, term.to]),
      [
        ['pay-as-you-go', Date.parse(before.starts_at), startsAt],
        ['free', startsAt, startsAt + 3_600_000],
      ],
    )
    const again = await choose(app, 'pay-as-you-go')
    assert.equal(again.body.code, 'subscription_just_changed')
    const wait = Number(again.headers['retry-after'])
    assert.ok(wait > 3_500 && wait <= 7_200, 'the change is refused until the next hour')
    await anHourPasses(app)
    await anHourPasses(app)
    const back = await choose(app, 'pay-as-you-go')
    assert.ok(Date.parse(back.body.starts_at) <= Date.now(), 'higher limits are charged at once')
  })

  test('keeps its currency, and its revision', async (t) => {
    const app = await tenants(t)
    const { headers: unchosen } = await app.call('GET', path(app), owner(app))
    const chosen = await choose(app, 'pay-as-you-go', {}, { 'if-match': unchosen.etag })
    assert.equal(chosen.status, 200, chosen.text)
    const { headers } = chosen
    await anHourPasses(app)
    const other = await choose(app, 'dollars')
    assert.deepEqual([other.status, other.body.code], [409, 'currency_fixed'])
    const body = { billing_details: { name: 'One' } }
    const first = await choose(app, 'pay-as-you-go', body, { 'if-match': headers.etag })
    assert.equal(first.status, 200, first.text)
    const late = await choose(app, 'free', {}, { 'if-match': headers.etag })
    assert.equal(late.body.code, 'precondition_failed')
  })

  test('keeps its plan as chosen, even if the file changes', async (t) => {
    const app = await tenants(t)
    await choose(app, 'pay-as-you-go')
    await anHourPasses(app)
    const dearer = examplePlans()
    Object.assign(dearer.plans[1] as object, { base_amount: 1_000 })
    const later = await app.sibling({ MOORING_PLANS_FILE: plansFile(dearer) })
    const held = await later.call('GET', path(app), owner(app))
    assert.deepEqual([held.body.plan.base_amount, held.body.is_current], [900, false])
    const again = await choose(later, 'pay-as-you-go')
    assert.deepEqual([again.body.plan.base_amount, again.body.is_current], [1_000, true])
    const none = await app.sibling({ MOORING_PLANS_FILE: '' })
    assert.equal((await none.call('GET', path(app), owner(app))).body.plan, null)
    assert.equal(await none.services.plans.of(app.seed.uuid), undefined)
    assert.deepEqual((await none.call('GET', '/plans', owner(app))).body.items, [])
  })

  test('is chosen by an owner, not by an admin and not by a key', async (t) => {
    const app = await tenants(t)
    const admin = await seedUser(app.app, { [app.seed.uuid]: 'admin' })
    const body = { plan_id: 'pay-as-you-go' }
    const asAdmin = await app.call('PUT', path(app), { as: as.user(admin.token), body })
    assert.deepEqual([asAdmin.status, asAdmin.body.code], [403, 'permission_denied'])
    const key = as.platformKey(app.seed.platformKey)
    const asKey = await app.call('PUT', path(app), { as: key, body })
    assert.deepEqual([asKey.status, asKey.body.code], [403, 'wrong_credential_kind'])
    assert.equal((await app.call('GET', path(app), { as: key })).status, 200)
  })
})
