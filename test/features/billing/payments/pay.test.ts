/** Paying: one charge, whatever is asked for, how often, and however badly it is answered. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { endFailed } from '../../../../src/features/billing/payments/settlement.ts'
import { findPayment, type PaymentRow } from '../../../../src/features/billing/payments/store.ts'
import { parseId } from '../../../../src/platform/lib/ids.ts'
import type { ChargingProvider } from '../../../../src/adapters/payment-provider/port.ts'
import { as } from '../../../support/app.ts'
import { type Payer, usePayers } from '../../../support/payments.ts'
import { until } from '../../../support/until.ts'

const chargesOf = ({ stripe, seed }: Payer, payments: readonly { id?: unknown }[]) =>
  stripe.objects.charges.filter(({ paymentId }) =>
    payments.some(({ id }) => id === paymentId && seed !== undefined),
  )

const intentOf = ({ stripe }: Payer, paymentId: unknown): string => {
  const found = [...stripe.objects.intents.values()].find(
    ({ metadata }) => metadata.mooring_payment_id === paymentId,
  )
  assert.ok(found)
  return found.id
}

describe('an invoice', () => {
  const newPayer = usePayers()

  test('is paid by the default card, and never again', async () => {
    const payer = await newPayer()
    const invoice = await payer.invoice(1234)
    const without = await payer.pay(invoice.id)
    assert.deepEqual([without.status, without.body.code], [409, 'payment_method_missing'])
    const method = await payer.addCard('good')
    const paid = await payer.pay(invoice.id)
    assert.equal(paid.status, 200, paid.text)
    assert.equal(paid.body.status, 'paid')
    const { payment } = paid.body
    assert.deepEqual(
      [payment.status, payment.amount, payment.currency, payment.payment_method_id],
      ['succeeded', 1234, 'EUR', method],
    )
    assert.equal(payment.credited_to, 'invoice')
    assert.deepEqual((await payer.pay(invoice.id)).body, paid.body)
    const payments = await payer.payments(`?invoice_id=${invoice.id}`)
    assert.equal(payments.length, 1)
    assert.equal(chargesOf(payer, payments).length, 1)
    assert.equal(await payer.invoiceStatus(invoice.uuid), 'paid')
    assert.deepEqual(await payer.sums(), { payments: 1234, revenue: -1234 })
    const one = await payer.call('GET', `/payments/${payment.id}`)
    assert.deepEqual(one.body, payment)
    const { rows } = await payer.app.database.pool.query<{ type: string }>(
      'SELECT type FROM events WHERE workspace_id = $1',
      [payer.seed.uuid],
    )
    const types = rows.map(({ type }) => type)
    for (const type of ['payment_method.added', 'payment.succeeded', 'invoice.paid']) {
      assert.equal(types.filter((each) => each === type).length, 1, type)
    }
  })

  test('is not charged by a payment that was given up while it was opened', async () => {
    const payer = await newPayer()
    const invoice = await payer.invoice(777)
    await payer.addCard('good')
    const { database, services } = payer.app
    const provider = services.payments as ChargingProvider
    const openPayment = provider.openPayment.bind(provider)
    provider.openPayment = async (payment) => {
      const opened = await openPayment(payment)
      const id = parseId('pay', payment.paymentId) as string
      const row = await findPayment.first(database, { workspaceId: payer.seed.uuid, id })
      await endFailed(database, row as PaymentRow, {
        code: 'method_missing',
        message: 'It is gone.',
      })
      return opened
    }
    const response = await payer.pay(invoice.id)
    provider.openPayment = openPayment
    assert.equal(response.body.status, 'failed', response.text)
    assert.deepEqual(chargesOf(payer, await payer.payments()), [])
    assert.equal(await payer.invoiceStatus(invoice.uuid), 'open')
  })

  test('is charged once, though fifty ask at once', async () => {
    const payer = await newPayer()
    const invoice = await payer.invoice(5000)
    await payer.addCard('good')
    payer.stripe.slow(100)
    const responses = await Promise.all(Array.from({ length: 50 }, () => payer.pay(invoice.id)))
    payer.stripe.slow(0)
    for (const { status, body, text } of responses) {
      assert.equal(status, 200, text)
      assert.ok(['paid', 'processing'].includes(body.status), text)
    }
    assert.ok(responses.some(({ body }) => body.status === 'paid'))
    const payments = await payer.payments()
    assert.equal(payments.length, 1)
    assert.equal(chargesOf(payer, payments).length, 1)
    assert.deepEqual(await payer.sums(), { payments: 5000, revenue: -5000 })
  })

  test('is charged once, although Stripe’s responses are lost, broken or late', async () => {
    const payer = await newPayer()
    await payer.addCard('good')
    for (const [pattern, fault] of [
      [/payment_intents$/, 'cut'],
      [/payment_intents$/, 'lost'],
      [/payment_intents$/, 'broken'],
      [/confirm$/, 'cut'],
      [/confirm$/, 'lost'],
      [/confirm$/, 'broken'],
    ] as const) {
      const invoice = await payer.invoice(700)
      payer.stripe.fail(pattern, fault, 2)
      const response = await payer.pay(invoice.id)
      assert.equal(response.body.status, 'processing', `${pattern} ${fault}: ${response.text}`)
      if (fault === 'cut') assert.equal((await payer.pay(invoice.id)).status, 200)
      await until(`${pattern} ${fault}`, async () => {
        await payer.timePasses()
        return (await payer.invoiceStatus(invoice.uuid)) === 'paid'
      })
      const payments = await payer.payments(`?invoice_id=${invoice.id}`)
      assert.equal(payments.length, 1)
      assert.equal(chargesOf(payer, payments).length, 1, `${pattern} ${fault}`)
    }
    assert.deepEqual(await payer.sums(), { payments: 4200, revenue: -4200 })
  })

  test('is not paid by a card that is declined, but by the next one', async () => {
    const payer = await newPayer()
    const invoice = await payer.invoice(900)
    const bad = await payer.addCard('declined')
    const good = await payer.addCard('good')
    const responses = await Promise.all(Array.from({ length: 5 }, () => payer.pay(invoice.id)))
    for (const { body } of responses) assert.ok(['failed', 'processing'].includes(body.status))
    const refused = await payer.pay(invoice.id)
    assert.equal(refused.body.status, 'failed', refused.text)
    assert.deepEqual(refused.body.payment.failure, {
      code: 'insufficient_funds',
      message: 'Your card has insufficient funds.',
    })
    assert.equal((await payer.payments()).length, 1, 'concurrent requests make one attempt')
    // Nobody can bring the refused one to its end any more behind our back.
    const intent = payer.stripe.objects.intents.get(intentOf(payer, refused.body.payment.id))
    assert.equal(intent?.status, 'canceled')
    const paid = await payer.pay(invoice.id, { payment_method_id: good })
    assert.equal(paid.body.status, 'paid', paid.text)
    const methods = (await payer.payments()).map((each) => each.payment_method_id)
    assert.deepEqual(methods, [good, bad])
    assert.deepEqual(await payer.sums(), { payments: 900, revenue: -900 })
  })

  test('waits for its payer, who can use another card meanwhile', async () => {
    const payer = await newPayer()
    const [first, second] = [await payer.invoice(100), await payer.invoice(200)]
    await payer.addCard('wantsAction')
    const other = await payer.addCard('good')
    for (const invoice of [first, second]) {
      const { body } = await payer.pay(invoice.id)
      assert.equal(body.status, 'requires_action')
      assert.match(body.client_secret, /^pi_\w+_secret_/)
      assert.equal(body.publishable_key, 'pk_test_standin')
      assert.equal((await payer.pay(invoice.id)).body.client_secret, body.client_secret)
    }
    const [waiting] = await payer.payments(`?invoice_id=${first.id}`)
    payer.stripe.objects.succeed(intentOf(payer, waiting?.id))
    assert.equal((await payer.pay(first.id)).body.status, 'paid')
    const taken = await payer.pay(second.id, { payment_method_id: other })
    assert.equal(taken.body.status, 'paid', taken.text)
    assert.equal(chargesOf(payer, await payer.payments()).length, 2)
    assert.deepEqual(await payer.sums(), { payments: 300, revenue: -300 })
    const third = await payer.invoice(300)
    await payer.pay(third.id)
    await payer.timePasses('2 days')
    await until('it is given up', async () => {
      const [last] = await payer.payments(`?invoice_id=${third.id}`)
      return last?.status === 'failed'
    })
  })

  test('is paid from the balance, once, if that is enough', async () => {
    const payer = await newPayer()
    await payer.addCard('good')
    const headers = { 'idempotency-key': 'top-up-1' }
    const top = (body: object, more: object = { headers }) =>
      payer.call('POST', '/balance/top-ups', { body, ...more })
    const tops = await Promise.all(Array.from({ length: 8 }, () => top({ amount: 1000 })))
    for (const { status, text } of tops) assert.equal(status, 201, text)
    const entries = await Promise.all(tops.map((each) => payer.entriesOf(each)))
    assert.deepEqual(entries.flat(), ['payment.created'])
    assert.equal((await top({ amount: 1000 })).body.status, 'paid')
    assert.equal((await top({ amount: 999 })).body.code, 'idempotency_key_reused')
    assert.equal((await payer.payments()).length, 1)
    assert.deepEqual(await payer.sums(), { balance: -1000, payments: 1000 })
    const [small, large] = [await payer.invoice(600), await payer.invoice(600)]
    await Promise.all([small, large, small, large].map(({ id }) => payer.pay(id)))
    for (const { id } of [small, large]) assert.equal((await payer.pay(id)).body.status, 'paid')
    const providers = (await payer.payments()).map(({ provider }) => provider).join()
    assert.match(providers, /^(?:balance,stripe|stripe,balance),stripe$/)
    assert.deepEqual(await payer.sums(), { balance: -400, payments: 1600, revenue: -1200 })
    assert.equal(chargesOf(payer, await payer.payments()).length, 2)
  })

  test('is paid by owners only, in whole minor units', async () => {
    const payer = await newPayer()
    const invoice = await payer.invoice(100)
    const path = `/workspaces/${payer.seed.id}/invoices/${invoice.id}/pay`
    const key = as.platformKey(payer.seed.platformKey)
    assert.equal((await payer.app.call('POST', path, { as: key, body: {} })).status, 403)
    const foreign = await newPayer()
    const theirs = await foreign.addCard('good')
    assert.equal((await foreign.pay(invoice.id)).body.code, 'invoice_not_found')
    const refused = await payer.pay(invoice.id, { payment_method_id: theirs })
    assert.deepEqual([refused.status, refused.body.errors[0].pointer], [400, '/payment_method_id'])
    await payer.addCard('good')
    for (const amount of [0, -1, 1.5, 1e15, '100', null, 100_000_000]) {
      const { status, text } = await payer.call('POST', '/balance/top-ups', { body: { amount } })
      assert.equal(status, 400, `${amount}: ${text}`)
    }
    const { other } = payer.seed
    const unplanned = await payer.app.call('POST', `/workspaces/${other.id}/balance/top-ups`, {
      as: as.user(other.owner.token),
      body: { amount: 100 },
    })
    assert.equal(unplanned.body.code, 'billing_currency_missing')
    const tooSmall = await payer.call('POST', '/balance/top-ups', { body: { amount: 1 } })
    assert.equal(tooSmall.body.status, 'failed')
    assert.equal(tooSmall.body.payment.failure.code, 'amount_too_small')
    assert.deepEqual(await payer.sums(), { receivable: 100, revenue: -100 })
  })
})
