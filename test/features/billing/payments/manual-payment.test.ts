/** The operator takes payments manually: nobody is charged, and everyone learns how to pay. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { creditBalance } from '../../../../src/features/billing/ledger/balance.ts'
import { serviceOrigin } from '../../../../src/platform/record/event.ts'
import { as, type TestApp } from '../../../support/app.ts'
import { openInvoice } from '../../../support/payments.ts'
import { plansFile } from '../../../support/plans.ts'
import { useTenants } from '../../../support/suite-app.ts'

const HOW = 'Transfer it to DE00 0000 0000, and name the invoice.'

describe('without a provider that charges', () => {
  const tenants = useTenants({
    environment: { MOORING_PLANS_FILE: plansFile(), MOORING_PAYMENT_INSTRUCTIONS: HOW },
  })

  const call = ({ call: send, seed }: TestApp, method: string, path: string, body?: object) =>
    send(method, `/workspaces/${seed.id}${path}`, {
      as: as.user(seed.owner.token),
      ...(body && { body }),
    })

  test('an invoice says how it is paid, and is paid from the balance if that is enough', async (t) => {
    const app = await tenants(t)
    const { uuid: workspaceId } = app.seed
    const { id } = await openInvoice(app, workspaceId, 800)
    const pay = () => call(app, 'POST', `/invoices/${id}/pay`, {})
    const received = await pay()
    assert.equal(received.status, 200, received.text)
    assert.deepEqual(received.body, {
      status: 'by_hand',
      payment: null,
      client_secret: null,
      publishable_key: null,
      instructions: HOW,
    })
    const credit = { workspaceId, key: 'credit:1', currency: 'EUR', from: 'payments' } as const
    await app.database.transaction((trx) =>
      creditBalance(trx, serviceOrigin, { ...credit, amount: 799 }),
    )
    assert.equal((await pay()).body.status, 'by_hand')
    await app.database.transaction((trx) =>
      creditBalance(trx, serviceOrigin, { ...credit, key: 'credit:2', amount: 1 }),
    )
    const responses = await Promise.all(Array.from({ length: 5 }, pay))
    for (const { body, text } of responses) assert.equal(body.status, 'paid', text)
    const { body } = await call(app, 'GET', '/payments')
    assert.equal(body.items.length, 1)
    assert.deepEqual([body.items[0].provider, body.items[0].amount], ['balance', 800])
    const balance = await call(app, 'GET', '/balance')
    assert.deepEqual([balance.body.prepaid, balance.body.outstanding], [0, 0])
  })

  test('a workspace has no cards, no top-ups and no events of a provider', async (t) => {
    const app = await tenants(t)
    for (const path of ['/payment-methods', '/balance/top-ups']) {
      const body = path.startsWith('/balance') ? { amount: 100 } : undefined
      const refused = await call(app, 'POST', path, body)
      assert.deepEqual([refused.status, refused.body.code], [409, 'payments_by_hand'])
      assert.equal(refused.body.detail, HOW)
    }
    const response = await fetch(`${app.origin}/billing/stripe/events`, { method: 'POST' })
    assert.equal(response.status, 404)
    const methods = await call(app, 'GET', '/payment-methods')
    assert.deepEqual([methods.body.items, methods.body.instructions], [[], HOW])
  })
})
