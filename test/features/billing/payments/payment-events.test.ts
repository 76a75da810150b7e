/**
 * Events of Stripe: forged, late, twice, in any order, of others. The bookings are the movements
 * there, each once. MOORING_TEST_PAYERS says how many workspaces pay; CI asks for more.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { deliver, type Payer, signatureOf, usePayers } from '../../../support/payments.ts'
import type { Intent, StripeEvent } from '../../../support/stripe-objects.ts'
import { until } from '../../../support/until.ts'

const PAYERS = Number(process.env.MOORING_TEST_PAYERS ?? 1)
/** The number of each: as many top-ups as may be in progress at once, and as many invoices. */
const PAYMENTS = 20
const COPIES = 3

const post = async (
  { app }: Payer,
  payload: string | Buffer,
  headers: Record<string, string>,
): Promise<number> => {
  const response = await fetch(`${app.origin}/billing/stripe/events`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: payload as string,
  })
  await response.text()
  return response.status
}

function shuffle<T>(items: T[]): T[] {
  for (let last = items.length - 1; last > 0; last -= 1) {
    const at = Math.floor(Math.random() * (last + 1))
    const held = items[at] as T
    items[at] = items[last] as T
    items[last] = held
  }
  return items
}

/** Runs the work for all items, ten at a time. */
async function forAll<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  const rest = [...items]
  const next = async (): Promise<void> => {
    for (let item = rest.pop(); item !== undefined; item = rest.pop()) await work(item)
  }
  await Promise.all(Array.from({ length: 10 }, next))
}

const intentsOf = ({ stripe }: Payer, payments: Record<string, unknown>[]): Intent[] =>
  [...stripe.objects.intents.values()].filter(({ metadata }) =>
    payments.some(({ id }) => id === metadata.mooring_payment_id),
  )

/** The expected ledger, from the movements at Stripe. */
function modelOf(payer: Payer, payments: Record<string, unknown>[], invoiced: number) {
  const sums = { adjustments: 0, balance: 0, payments: 0, receivable: invoiced, revenue: -invoiced }
  const { charges, reversals } = payer.stripe.objects
  for (const { id, kind } of payments) {
    const charge = charges.filter(({ paymentId }) => paymentId === id)
    assert.ok(charge.length <= 1, `${String(id)} was charged twice`)
    const { amount, intent } = charge[0] ?? { amount: 0, intent: '' }
    const back = reversals
      .filter((each) => each.payment_intent === intent)
      .filter(({ status }) => status !== 'failed' && status !== 'won')
      .reduce((sum, each) => sum + each.amount, 0)
    sums.payments += amount - back
    if (kind === 'top_up') sums.balance -= amount - back
    else {
      sums.receivable -= amount
      sums.adjustments += back
    }
  }
  return Object.fromEntries(Object.entries(sums).filter(([, amount]) => amount !== 0))
}

/** Half of the payments are of invoices; the banks decide, and some money goes back. */
async function makeHistory(
  payer: Payer,
  { slow, wants }: { slow: string; wants: string },
): Promise<number> {
  let invoiced = 0
  await forAll([...Array(PAYMENTS).keys()], async (number) => {
    const amount = 100 + number
    const payment_method_id = number % 3 === 0 ? slow : wants
    if (number % 2 === 0) {
      const { id } = await payer.invoice(amount)
      invoiced += amount
      await payer.pay(id, { payment_method_id })
    } else {
      const body = { amount, payment_method_id }
      const result = await payer.call('POST', '/balance/top-ups', { body })
      assert.equal(result.status, 201, result.text)
    }
  })
  return invoiced
}

function letBanksDecide(payer: Payer, intents: readonly Intent[]): void {
  const { objects } = payer.stripe
  for (const [index, intent] of intents.entries()) {
    if (intent.status !== 'succeeded') {
      if (index % 5 === 4) objects.decline(intent.id)
      else objects.succeed(intent.id)
    }
    if (intent.status !== 'succeeded') continue
    if (index % 4 === 1) objects.reverse(intent.id, 'refund', 40)
    if (index % 4 === 1) objects.reverse(intent.id, 'refund', 30)
    if (index % 6 === 2) objects.undo(objects.reverse(intent.id, 'refund', 10).id)
    if (index % 7 === 3) objects.reverse(intent.id, 'dispute', intent.amount)
    if (index % 7 === 0) objects.undo(objects.reverse(intent.id, 'dispute', intent.amount).id)
  }
}

describe('events of the payment provider', () => {
  const newPayer = usePayers()

  test('are booked once each, in any order and however often they come', async (t) => {
    const payers = await Promise.all(Array.from({ length: PAYERS }, newPayer))
    const models = new Map<Payer, object>()
    const invoiced = new Map<Payer, number>()
    const cards = new Map<Payer, { slow: string; wants: string }>()
    for (const payer of payers) {
      const slow = await payer.addCard('slow')
      cards.set(payer, { slow, wants: await payer.addCard('wantsAction') })
    }
    for (const [payer, own] of cards) invoiced.set(payer, await makeHistory(payer, own))
    for (const payer of payers) letBanksDecide(payer, intentsOf(payer, await payer.payments()))
    const [{ stripe, app }] = payers as [Payer]
    const events = stripe.objects.events.splice(0)
    const lies = events.map((event): StripeEvent => {
      const object = { ...event.data.object, amount: 1, amount_received: 1, status: 'succeeded' }
      return { ...event, id: `${event.id}x`, data: { object } }
    })
    const copies = Array.from({ length: COPIES }, () => events).flat()
    const send = async (event: StripeEvent): Promise<void> =>
      assert.equal(await deliver(app.origin, event), 200)
    await forAll(shuffle([...copies, ...lies]), send)
    t.diagnostic(`${events.length} events of ${PAYERS * PAYMENTS} payments`)
    for (const payer of payers) {
      const model = modelOf(payer, await payer.payments(), invoiced.get(payer) ?? 0)
      models.set(payer, model)
      await until(
        'all have ended',
        async () => {
          const open = (await payer.payments()).some(({ ended_at }) => ended_at === null)
          return !open && JSON.stringify(await payer.sums()) === JSON.stringify(model)
        },
        120_000,
      ).catch(() => {})
      assert.deepEqual(await payer.sums(), model)
    }
    await forAll(shuffle(copies).slice(0, 100), send)
    for (const [payer, model] of models) assert.deepEqual(await payer.sums(), model)
    const statuses = new Set((await (payers[0] as Payer).payments()).map(({ status }) => status))
    assert.deepEqual(statuses, new Set(['failed', 'refunded', 'succeeded']))
  })

  test('are refused unless Stripe has signed them just now', async () => {
    const payer = await newPayer()
    await payer.addCard('slow')
    const { id } = await payer.invoice(500)
    await payer.pay(id)
    const [payment] = await payer.payments()
    const [intent] = intentsOf(payer, [payment ?? {}])
    const event = payer.stripe.objects.emit('payment_intent.succeeded', intent as Intent)
    const payload = JSON.stringify(event)
    const now = Math.floor(Date.now() / 1000)
    const good = signatureOf(payload)
    const bad: [string, Record<string, string>][] = [
      [payload, {}],
      [payload, { 'stripe-signature': '' }],
      [payload, { 'stripe-signature': 't=1,v1=00' }],
      [payload, { 'stripe-signature': signatureOf(payload, now - 301) }],
      [payload, { 'stripe-signature': signatureOf(payload, undefined, 'whsec_other') }],
      [payload, { 'stripe-signature': good.replace('v1=', 'v0=') }],
      [payload.replace('EUR', 'USD').replace('500', '501'), { 'stripe-signature': good }],
      ['', { 'stripe-signature': good }],
    ]
    for (const [body, headers] of bad) {
      assert.equal(await post(payer, body, headers), 400, JSON.stringify(headers))
    }
    const large = Buffer.alloc(300_000, ' ')
    assert.equal(await post(payer, large, { 'stripe-signature': good }), 413)
    const plain = { 'content-type': 'text/plain', 'stripe-signature': good }
    assert.equal(await post(payer, payload, plain), 200, 'a valid signature suffices')
    const { status } = await payer.app.call('GET', '/../../billing/stripe/events')
    assert.equal(status, 405)
  })

  test('change nothing of others, and nothing that Stripe itself contradicts', async () => {
    const payer = await newPayer()
    await payer.addCard('slow')
    const { id, uuid } = await payer.invoice(500)
    await payer.pay(id)
    const [payment] = await payer.payments()
    const [intent] = intentsOf(payer, [payment ?? {}]) as [Intent]
    const { objects } = payer.stripe
    const before = await payer.sums()
    const foreign: Intent = { ...structuredClone(intent), id: 'pi_foreign', status: 'succeeded' }
    objects.emit('payment_intent.succeeded', foreign)
    objects.emit('invoice.paid', { id: 'in_1', payment_intent: intent.id })
    objects.emit('charge.refunded', { id: 'ch_1', payment_intent: null })
    objects.emit('setup_intent.succeeded', { id: 'seti_foreign' })
    objects.emit('payment_intent.succeeded', { ...intent, status: 'succeeded' })
    await payer.deliverAll()
    // As if somebody had changed it in Stripe.
    intent.amount = 499
    objects.succeed(intent.id)
    await payer.deliverAll()
    assert.equal((await payer.pay(id)).status, 500)
    intent.amount_received = 500
    intent.currency = 'usd'
    assert.equal((await payer.pay(id)).status, 500)
    intent.currency = 'eur'
    intent.metadata.mooring_payment_id = 'pay_other'
    assert.equal((await payer.pay(id)).status, 500)
    assert.deepEqual(await payer.sums(), before)
    assert.equal(await payer.invoiceStatus(uuid), 'open')
    intent.metadata.mooring_payment_id = String(payment?.id)
    intent.amount = 500
    assert.equal((await payer.pay(id)).body.status, 'paid')
  })
})
