/** Payment methods: set up at Stripe, shown here with no more than people need. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { unnamed } from '../../../../src/platform/database/connect.ts'
import { as } from '../../../support/app.ts'
import { type Payer, usePayers } from '../../../support/payments.ts'
import { revisionOf } from '../../../support/revision.ts'
import { until } from '../../../support/until.ts'

interface Shown extends Record<string, unknown> {
  id: string
  is_default: boolean
}

const list = async (payer: Payer): Promise<Shown[]> =>
  (await payer.call('GET', '/payment-methods')).body.items

describe('a payment method', () => {
  const newPayer = usePayers()

  test('is listed after Stripe confirms it, without other data of the card', async () => {
    const payer = await newPayer()
    const begun = await payer.call('POST', '/payment-methods')
    assert.equal(begun.status, 201, begun.text)
    assert.deepEqual(await payer.entriesOf(begun), ['payment_method.setup_begun'])
    const { id, client_secret: secret, ...rest } = begun.body
    assert.deepEqual(rest, {
      status: 'pending',
      provider: 'stripe',
      publishable_key: 'pk_test_standin',
    })
    assert.deepEqual(await list(payer), [])
    payer.stripe.objects.enterCard(secret.split('_secret_')[0], 'good')
    await payer.deliverAll()
    const [method] = await until('it is there', async () => {
      const items = await list(payer)
      return items.length > 0 && items
    })
    const { created_at: _at, workspace_id: _ws, ...shown } = method as Shown
    const card = { type: 'card', brand: 'visa', last4: '4242', exp_month: 12, exp_year: 2031 }
    assert.deepEqual(shown, { id, ...card, is_default: true })
    const rows = await payer.app.database.query<{ line: string }>(
      unnamed(`SELECT m::text AS line FROM payment_methods m WHERE workspace_id = $1
               UNION ALL SELECT e::text FROM events e WHERE workspace_id = $1
               UNION ALL SELECT a::text FROM audit_log a WHERE workspace_id = $1`),
      [payer.seed.uuid],
    )
    assert.ok(rows.length > 3)
    for (const { line } of rows) assert.ok(!line.includes(secret), line)
  })

  test('is found without an event, and deleted if no card is entered', async () => {
    const payer = await newPayer()
    const { id, setupId } = await payer.beginCard()
    await payer.beginCard()
    payer.stripe.objects.enterCard(setupId, 'good')
    payer.stripe.objects.events.length = 0
    await payer.timePasses('2 days')
    await until('it was found', async () => (await list(payer))[0]?.id === id)
    await until('the other one is cancelled at Stripe', () =>
      payer.stripe.objects.events.some(({ type }) => type === 'setup_intent.canceled'),
    )
    assert.equal((await list(payer)).length, 1)
  })

  test('can be the default one, and is removed here and at Stripe', async () => {
    const payer = await newPayer()
    const first = await payer.addCard('good')
    const second = await payer.addCard('slow')
    const path = `/payment-methods/${second}`
    const changed = await payer.call('PATCH', path, { body: { is_default: true } })
    assert.equal(changed.status, 200, changed.text)
    const flags = async () => (await list(payer)).map((item) => [item.id, item.is_default])
    assert.deepEqual(await flags(), [
      [first, false],
      [second, true],
    ])
    const stale = { 'if-match': `"${(revisionOf(changed.headers) ?? 0) - 1}"` }
    assert.equal((await payer.call('DELETE', path, { headers: stale })).status, 412)
    payer.stripe.fail(/detach/, 'cut', 1)
    assert.equal((await payer.call('DELETE', path)).status, 204)
    assert.deepEqual(await flags(), [[first, false]])
    assert.equal((await payer.call('DELETE', path)).status, 404)
    assert.equal((await payer.call('PATCH', path, { body: { is_default: true } })).status, 404)
    await until('it is detached at Stripe', () =>
      [...payer.stripe.objects.methods.values()].some(
        ({ customer, card }) => customer === null && card.last4 === '0077',
      ),
    )
  })

  test('follows changes of the card at Stripe', async () => {
    const payer = await newPayer()
    const renewed = await payer.addCard('good')
    await payer.addCard('slow')
    const { objects } = payer.stripe
    const customer = [...objects.methods.values()].at(-1)?.customer as string
    objects.change(customer, '4242', 2039)
    objects.change(customer, '0077', undefined)
    await payer.deliverAll()
    await until('both are known', async () => {
      const items = await list(payer)
      return items.length === 1 && items[0]?.exp_year === 2039
    })
    assert.deepEqual(
      (await list(payer)).map(({ id }) => id),
      [renewed],
    )
  })

  test('is set up by owners alone, ten at once at most, and not while Stripe is away', async () => {
    const payer = await newPayer()
    const path = `/workspaces/${payer.seed.id}/payment-methods`
    const key = as.platformKey(payer.seed.platformKey)
    assert.equal((await payer.app.call('POST', path, { as: key })).status, 403)
    payer.stripe.fail(/setup_intents/, 'cut', 2)
    const refused = await payer.call('POST', '/payment-methods')
    assert.deepEqual([refused.status, refused.body.code], [503, 'payment_provider_unavailable'])
    const responses = await Promise.all(
      Array.from({ length: 12 }, () => payer.call('POST', '/payment-methods')),
    )
    assert.equal(responses.filter(({ status }) => status === 201).length, 10)
    assert.equal(responses.filter(({ status }) => status === 409).length, 2)
    assert.equal(responses.find(({ status }) => status === 409)?.body.code, 'limit_reached')
    assert.equal(payer.stripe.objects.customers.size > 0, true)
  })
})
