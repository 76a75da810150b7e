/** Invoices: their amounts, each asked for once, and how they end. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { serviceOrigin } from '../../../../src/platform/record/event.ts'
import {
  draftInvoices,
  finalizeInvoices,
  lapseInvoices,
} from '../../../../src/features/billing/invoices/invoice-issue.ts'
import { payByHand, voidInvoice } from '../../../../src/features/billing/invoices/invoice-states.ts'
import { creditBalance } from '../../../../src/features/billing/ledger/balance.ts'
import { parseId } from '../../../../src/platform/lib/ids.ts'
import type { TestApp } from '../../../support/app.ts'
import {
  lastMonth,
  ledgerOf,
  owner,
  sql,
  subscribe,
  use,
  useBilledTenants,
} from '../../../support/billing.ts'
import { textOf } from '../../../support/pdf.ts'
import { plansFile } from '../../../support/plans.ts'
import { until } from '../../../support/until.ts'

const tenants = useBilledTenants({
  environment: {
    MOORING_PLANS_FILE: plansFile(),
    MOORING_TAX_RATE_BP: '1900',
    MOORING_INVOICE_SELLER: 'Acme Cloud | Kai 7 | DE123',
  },
})

const usual = { connected_devices: 120, messages: 2_345_678, bytes: 12.5e9, api_calls: 777_777 }
/** 900 and 95 × 15 and 1,345.678 and 50 and 138.8885, each rounded, and 19 % of it. */
const TOTAL = 4_593

const paths = ({ seed }: TestApp) => ({
  list: `/workspaces/${seed.id}/invoices`,
  of: (id: string) => `/workspaces/${seed.id}/invoices/${id}`,
})

const uuidOf = (id: string): string => parseId('inv', id) as string

/** Nothing is waited for after the end of the month: it may have begun just now. */
const makeInvoices = async ({ services }: TestApp): Promise<string[]> => {
  await draftInvoices(services)
  return finalizeInvoices(services, undefined, 0)
}

/** Until the last month is issued: the service may be at it by itself in the same moment. */
const issueLastMonth = (app: TestApp) =>
  until('the last month is issued', async () => {
    await makeInvoices(app)
    const issued = `SELECT FROM invoices WHERE workspace_id = $1 AND status <> 'draft'`
    return (await sql(app, issued, [app.seed.uuid])).length > 0
  })

/** A workspace whose last month was invoiced. */
async function invoiced(t: Parameters<typeof tenants>[0], prepaid = 0) {
  const app = await tenants(t)
  await use(app, usual)
  const pays = () => credit(app, prepaid)
  await subscribe(app, 'pay-as-you-go', prepaid > 0 ? { prepare: pays } : {})
  await issueLastMonth(app)
  const { body } = await app.call('GET', `${paths(app).list}?status=draft&limit=1`, owner(app))
  assert.equal(body.items.length, 1, 'the current month has a draft')
  const all = await app.call('GET', paths(app).list, owner(app))
  const issued = all.body.items.filter((each: { status: string }) => each.status !== 'draft')
  assert.equal(issued.length, 1, all.text)
  return { app, id: issued[0].id as string, invoiceId: uuidOf(issued[0].id) }
}

const credit = (app: TestApp, amount: number, key = 'credit:1') =>
  app.database.transaction((trx) =>
    creditBalance(trx, serviceOrigin, {
      workspaceId: app.seed.uuid,
      key,
      currency: 'EUR',
      amount,
      from: 'payments',
    }),
  )

const pay = (app: TestApp, invoiceId: string, reference = 'bank-1') =>
  app.database.transaction((trx) =>
    payByHand(trx, serviceOrigin, { workspaceId: app.seed.uuid, invoiceId, reference }),
  )

const annul = (app: TestApp, invoiceId: string) =>
  app.database.transaction((trx) =>
    voidInvoice(trx, serviceOrigin, { workspaceId: app.seed.uuid, invoiceId }),
  )

/** Invoices that are committed; the feed may report them a moment later. */
const eventsOf = async (app: TestApp): Promise<string[]> => {
  const text = 'SELECT type FROM events WHERE workspace_id = $1 ORDER BY seq'
  const { rows } = await app.database.pool.query<{ type: string }>(text, [app.seed.uuid])
  return rows.map(({ type }) => type)
}

describe('an invoice', () => {
  test('of a month of usage is paid, and computed again to the same minor unit', async (t) => {
    const { app, id, invoiceId } = await invoiced(t)
    const of = paths(app).of(id)
    const { body: invoice } = await app.call('GET', of, owner(app))
    assert.deepEqual(
      invoice.lines.map(({ meter, amount }: Record<string, unknown>) => [meter, amount]),
      [
        ['base', 900],
        ['connected_devices', 1_425],
        ['messages', 1_346],
        ['bytes', 50],
        ['api_calls', 139],
      ],
    )
    assert.deepEqual(
      [invoice.subtotal, invoice.tax_amount, invoice.total, invoice.amount_due, invoice.status],
      [3_860, 733, TOTAL, TOTAL, 'open'],
    )
    assert.deepEqual(invoice.seller, ['Acme Cloud', 'Kai 7', 'DE123'])
    assert.equal(invoice.buyer[0], 'Ærø Café ApS')
    assert.match(invoice.number, /^INV-\d{6}$/)
    const sums = { all: 0, receivable: TOTAL, revenue: -3_860, tax: -733 }
    assert.deepEqual(await ledgerOf(app), sums)
    await pay(app, invoiceId)
    const { body: paid } = await app.call('GET', of, owner(app))
    assert.deepEqual([paid.status, paid.amount_due], ['paid', 0])
    assert.deepEqual(await ledgerOf(app), { ...sums, receivable: 0, payments: TOTAL })
    const verified = await app.call('GET', `${of}/verify`, owner(app))
    assert.deepEqual([verified.body.matches, verified.body.ledger_matches], [true, true])
    assert.deepEqual(verified.body.recomputed.lines, invoice.lines)
    const { origin } = app
    const pdf = await fetch(`${origin}/api/v1${of}`, {
      headers: { ...owner(app).as, accept: 'application/pdf' },
    })
    assert.equal(pdf.headers.get('content-type'), 'application/pdf')
    const text = textOf(new Uint8Array(await pdf.arrayBuffer()))
    for (const part of [invoice.number, 'EUR 45.93', 'VAT 19 %', 'paid', 'Ærø Café ApS']) {
      assert.ok(text.includes(part), text)
    }
    const events = await eventsOf(app)
    for (const type of ['invoice.created', 'invoice.finalized', 'invoice.paid']) {
      assert.ok(events.includes(type), type)
    }
    assert.equal(events.filter((type) => type === 'invoice.finalized').length, 1)
  })

  test('reports usage that differs from the issued invoice', async (t) => {
    const { app, id } = await invoiced(t)
    await sql(app, 'UPDATE usage_hours SET messages = messages + 1000 WHERE workspace_id = $1', [
      app.seed.uuid,
    ])
    const { body } = await app.call('GET', `${paths(app).of(id)}/verify`, owner(app))
    assert.deepEqual([body.matches, body.ledger_matches], [false, true])
    assert.equal(body.issued.subtotal + 2, body.recomputed.subtotal)
  })

  test('uses the prepaid balance first, and is paid at once if that suffices', async (t) => {
    const partly = await invoiced(t, 1_000)
    const { body } = await partly.app.call(
      'GET',
      paths(partly.app).of(partly.id),
      owner(partly.app),
    )
    assert.deepEqual([body.balance_used, body.amount_due, body.status], [1_000, 3_593, 'open'])
    const wholly = await invoiced(t, 5_000)
    const { app } = wholly
    const whole = await app.call('GET', paths(app).of(wholly.id), owner(app))
    assert.deepEqual([whole.body.status, whole.body.amount_due], ['paid', 0])
    const balance = await app.call('GET', `/workspaces/${app.seed.id}/balance`, owner(app))
    assert.deepEqual(balance.body, {
      currency: 'EUR',
      exponent: 2,
      prepaid: 5_000 - TOTAL,
      outstanding: 0,
    })
  })

  test('is one for each month, and has one number, though many make it at once', async (t) => {
    const app = await tenants(t)
    await use(app, usual)
    await subscribe(app, 'pay-as-you-go')
    const sibling = await app.sibling()
    const calls = Array.from({ length: 8 }, (_, index) => makeInvoices(index % 2 ? app : sibling))
    const numbers = (await Promise.all(calls)).flat()
    await issueLastMonth(app)
    const rows = await sql<{ number: number }>(
      app,
      `SELECT number FROM invoices WHERE workspace_id = $1 AND status <> 'draft'`,
      [app.seed.uuid],
    )
    assert.equal(rows.length, 1)
    assert.ok(new Set(numbers).size === numbers.length, 'each invoice was issued by one process')
    assert.equal((await ledgerOf(app)).receivable, TOTAL)
    const [counted] = await sql<{ last: number; all: number }>(
      app,
      'SELECT (SELECT last FROM invoice_numbers) AS last, count(number) AS all FROM invoices',
    )
    assert.equal(counted?.last, counted?.all, 'no number is missing')
  })

  test('ends once, even if it is paid and voided concurrently', async (t) => {
    const { app, invoiceId } = await invoiced(t, 1_000)
    const ends = Array.from({ length: 12 }, (_, index) =>
      index % 2 === 0 ? pay(app, invoiceId, `bank-${index}`) : annul(app, invoiceId),
    )
    const results = await Promise.allSettled(ends)
    const done = results.filter(({ status }) => status === 'fulfilled')
    assert.equal(done.length, 1)
    for (const result of results) {
      if (result.status === 'fulfilled') continue
      assert.equal((result.reason as { code: string }).code, 'invalid_transition')
    }
    const ended = (done[0] as PromiseFulfilledResult<{ status: string }>).value.status
    const sums = await ledgerOf(app)
    assert.deepEqual([sums.all, sums.receivable], [0, 0])
    assert.equal(sums.balance, ended === 'paid' ? 0 : -1_000)
    assert.equal(sums.revenue, ended === 'paid' ? -3_860 : 0)
  })

  test('returns the balance when voided, and is not issued again', async (t) => {
    const { app, id, invoiceId } = await invoiced(t, 1_000)
    await annul(app, invoiceId)
    assert.deepEqual(await makeInvoices(app), [])
    const { body } = await app.call('GET', paths(app).of(id), owner(app))
    assert.deepEqual([body.status, body.amount_due], ['void', 0])
    const sums = { all: 0, balance: -1_000, payments: 1_000, receivable: 0, revenue: 0, tax: 0 }
    assert.deepEqual(await ledgerOf(app), sums)
    await assert.rejects(pay(app, invoiceId), { code: 'invalid_transition' })
  })

  test('that is not paid in time is overdue, once, and can be paid still', async (t) => {
    const { app, invoiceId } = await invoiced(t)
    await lapseInvoices(app.database)
    assert.ok(
      !(await eventsOf(app)).includes('invoice.overdue'),
      'the time for payment is not over',
    )
    // The content of an invoice is fixed, so the test can't move its date otherwise.
    await sql(app, 'ALTER TABLE invoices DISABLE TRIGGER invoices_kept')
    await sql(
      app,
      `UPDATE invoices SET due_at = now() WHERE workspace_id = $1 AND due_at > now()`,
      [app.seed.uuid],
    )
    await sql(app, 'ALTER TABLE invoices ENABLE TRIGGER invoices_kept')
    await Promise.all([lapseInvoices(app.database), lapseInvoices(app.database)])
    const received = (await eventsOf(app)).filter((type) => type === 'invoice.overdue')
    assert.equal(received.length, 1)
    assert.equal((await pay(app, invoiceId)).status, 'paid')
  })

  test('cannot be changed, even by the owner of its table', async (t) => {
    const { app, invoiceId } = await invoiced(t)
    for (const change of [
      'total = total + 1, subtotal = subtotal + 1',
      `content = '{}'`,
      'number = number + 1000',
      `status = 'draft'`,
    ]) {
      const statement = `UPDATE invoices SET ${change} WHERE workspace_id = $1 AND id = $2`
      await assert.rejects(sql(app, statement, [app.seed.uuid, invoiceId]), {
        constraint: 'invoice_is_kept',
      })
    }
    const gone = 'DELETE FROM invoices WHERE workspace_id = $1'
    await assert.rejects(sql(app, gone, [app.seed.uuid]), { constraint: 'billing_is_kept' })
  })

  test('of a month with two plans charges each by the hour', async (t) => {
    const app = await tenants(t)
    const { from, to } = lastMonth()
    const half = (to - from) / 3_600_000 / 2
    await use(app, { messages: 5_000_000 }, half - 1)
    await use(app, { messages: 1_500_000, connected_devices: 125 }, half)
    await subscribe(app, 'pay-as-you-go', { hour: half })
    await issueLastMonth(app)
    const { body } = await app.call('GET', `${paths(app).list}?limit=2`, owner(app))
    const { id } = body.items.find(({ status }: { status: string }) => status !== 'draft')
    const invoice = (await app.call('GET', paths(app).of(id), owner(app))).body
    const amounts = invoice.lines.map((line: Record<string, unknown>) => [line.meter, line.amount])
    // Half of 900, half of 100 × 15, and of the messages half of what a month includes is free.
    assert.deepEqual(amounts.slice(0, 3), [
      ['base', 450],
      ['connected_devices', 750],
      ['messages', 1_000],
    ])
    assert.equal(
      (await app.call('GET', `${paths(app).of(id)}/verify`, owner(app))).body.matches,
      true,
    )
  })

  test('is a draft that is computed as it is read, while the month runs', async (t) => {
    const { app } = await invoiced(t)
    const { body } = await app.call('GET', `${paths(app).list}?status=draft`, owner(app))
    const [draft] = body.items
    assert.deepEqual([draft.number, draft.total], [null, null])
    const read = await app.call('GET', paths(app).of(draft.id), owner(app))
    assert.equal(read.status, 200, read.text)
    assert.ok(read.body.lines[0].amount > 0 && read.body.total > 0)
    const verified = await app.call('GET', `${paths(app).of(draft.id)}/verify`, owner(app))
    assert.equal(verified.body.code, 'invalid_transition')
    const unknown = paths(app).of(draft.id.slice(0, -4).concat('0000'))
    assert.equal((await app.call('GET', unknown, owner(app))).body.code, 'invoice_not_found')
  })
})
