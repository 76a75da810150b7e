/** The PDF of an invoice: the text that a person reads, on as many pages as it takes. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { makeTableDocument } from '../../../../src/adapters/pdf/table-document.ts'
import { amountsOf } from '../../../../src/features/billing/invoices/invoice-lines.ts'
import { documentOf } from '../../../../src/features/billing/invoices/invoice-pdf.ts'
import type { InvoiceView } from '../../../../src/features/billing/invoices/schema.ts'
import type { Plan } from '../../../../src/features/common/plan-shapes.ts'
import { HOUR_MS } from '../../../../src/platform/lib/time.ts'
import { formatId, newUuid } from '../../../../src/platform/lib/ids.ts'
import { pagesOf, textOf } from '../../../support/pdf.ts'
import { examplePlans } from '../../../support/plans.ts'

/** Where pdftotext and this font are there, as CI sees to. */
const FONT = process.env.MOORING_TEST_PDF_FONT
const paid = examplePlans().plans[1] as Plan

const month = { from: Date.UTC(2026, 9), to: Date.UTC(2026, 10) }
const use = { connected_devices: 26, messages: 1_001_500, bytes: 0, api_calls: 0 }

/** An invoice of a month in which the plan was chosen again so often. */
function invoiceOf(plans: number, more: Partial<InvoiceView> = {}): InvoiceView {
  const hours = (month.to - month.from) / HOUR_MS / plans
  const terms = Array.from({ length: plans }, (_none, index) => ({
    from: month.from + index * hours * HOUR_MS,
    to: month.from + (index + 1) * hours * HOUR_MS,
    plan: { ...paid, name: `Plan ${index + 1}` },
    use,
  }))
  const amounts = amountsOf(terms, month, { name: 'VAT', rate_bp: 750 })
  return {
    id: formatId('inv', newUuid()),
    number: 'INV-000042',
    status: 'open',
    period_start: new Date(month.from).toISOString(),
    period_end: new Date(month.to).toISOString(),
    currency: 'EUR',
    exponent: 2,
    issued_at: '2026-11-01T00:10:00.000Z',
    due_at: '2026-11-15T00:10:00.000Z',
    paid_at: null,
    voided_at: null,
    ...amounts,
    balance_used: 200,
    amount_due: amounts.total - 200,
    seller: ['Acme Cloud', 'Kai 7', 'DE123'],
    buyer: ['Søren & Søn ApS', 'Gade 1', 'Workspace acme'],
    tax: { name: 'VAT', rate_bp: 750 },
    ...more,
  }
}

const pdfOf = (invoice: InvoiceView, font?: Uint8Array): Promise<Buffer> =>
  makeTableDocument(documentOf(invoice), font)

describe('the PDF of an invoice', () => {
  test('names number, both sides, period, lines, tax, sums and status', async () => {
    const text = textOf(await pdfOf(invoiceOf(1)))
    for (const part of [
      'Invoice INV-000042',
      'Acme Cloud',
      'DE123',
      'Søren & Søn ApS',
      'open',
      '2026-10-01 00:00 UTC',
      '2026-11-15',
      'Plan 1',
      'Connected devices (peak)',
      '1,001,500',
      'per 1,000',
      'EUR 9.00',
      'VAT 7.5 %',
      // 900 and 15 and 1,500 messages for 1.5, and 7.5 % of it; 2.00 were paid in advance.
      'EUR 9.17',
      'EUR 0.69',
      'EUR 9.86',
      'EUR -2.00',
      'EUR 7.86',
      'page 1 of 1',
    ]) {
      assert.ok(text.includes(part), `${part} in\n${text}`)
    }
  })

  test('continues over pages, each with the head of the table and its number', async () => {
    const invoice = invoiceOf(24)
    const pdf = await pdfOf(invoice)
    const text = textOf(pdf)
    const pages = pagesOf(pdf)
    assert.ok(pages >= 4, String(pages))
    assert.equal(text.split('\n').filter((line) => line === 'Unit price').length, pages)
    assert.ok(text.includes(`page ${pages} of ${pages}`))
    for (let plan = 1; plan <= 24; plan += 1) assert.ok(text.includes(`Plan ${plan}\n`))
    assert.ok(text.includes('31 of 744 hours'))
  })

  test('is the same, byte for byte, each time', async () => {
    const invoice = invoiceOf(2)
    assert.ok((await pdfOf(invoice)).equals(await pdfOf(invoice)))
  })

  test('is read by others, with all letters that its font has', { skip: !FONT }, async () => {
    const buyer = ['Ωμέγα Україна', 'Søren']
    const pdf = await pdfOf(invoiceOf(3, { buyer }), readFileSync(FONT as string))
    const text = execFileSync('pdftotext', ['-layout', '-', '-'], { input: pdf }).toString()
    for (const part of [...buyer, 'Invoice INV-000042', 'page 1 of']) {
      assert.ok(text.includes(part), `${part} in\n${text}`)
    }
    assert.match(text, /Connected devices \(peak\) +26 +25 +EUR 0\.15 +EUR 0\.05/)
    assert.ok(!text.includes('printed as'), text)
  })
})
