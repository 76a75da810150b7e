/** Money in the browser: a plan with its price, an invoice that is verified, and its PDF. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { suite, test } from 'node:test'
import type { Page } from 'playwright-core'
import { moneyText, restOfMonth } from '../../../console/src/api/money.ts'
import { assertAccessible, skip } from '../../support/browser.ts'
import { openAsOwner, type OwnerPage } from '../../support/console-page.ts'
import {
  makeInvoices,
  planOfAcme,
  useOfAcme,
  withDatabase,
} from '../../support/invoiced-workspaces.ts'
import { examplePlans, plansFile } from '../../support/plans.ts'

const downloadOf = async (page: Page, name: string): Promise<Buffer> => {
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name }).click(),
  ])
  return readFile(await file.path())
}

/** Neither the console nor the payment document loads anything of Stripe, which is not set up. */
async function assertTakesNoCards(page: Page): Promise<void> {
  await page.goto('/console/w/acme/billing?tab=balance')
  await page.getByRole('heading', { name: 'Pay in advance' }).waitFor()
  await page.getByText(HOW).waitFor()
  const response = await page.goto('/console/pay/method')
  assert.doesNotMatch(response?.headers()['content-security-policy'] ?? '', /stripe/)
  await page.getByText('This page has expired').waitFor()
  await assertAccessible(page)
  await page.evaluate(() => {
    const workspace = { id: 'ws_01m8x4c5v8f2tbqgh2v7r4j88k', slug: 'acme', name: 'Acme' }
    const handover = { token: 'pay_token_AAAA', expiresAt: Date.now() + 60_000, workspace }
    sessionStorage.setItem('mooring-payment', JSON.stringify(handover))
  })
  await page.reload()
  await page.getByText('Cards cannot be used here').waitFor()
  await assertAccessible(page)
}

/** How the operator is paid. */
const HOW = 'Transfer it to DE00 0000 0000, and name the invoice.'

/** The base of 9.00, and 200,000 messages more than are included. */
const PRICE = '€11.00'

/** The prices shown before the plan was chosen are those that the service has computed since. */
async function assertSubtotal({ page, call, headers, workspaceId }: OwnerPage): Promise<void> {
  const [invoice] = /inv_\w+/.exec(page.url()) ?? []
  const path = `/workspaces/${workspaceId}/invoices/${invoice}`
  const { body, text } = await call('GET', path, { headers })
  assert.equal(moneyText(body.subtotal, body.currency), PRICE, text)
}

/** Its price for the rest of the month is shown before. */
async function choosePlan(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Choose…' }).last().click()
  const dialog = page.getByRole('dialog')
  const { hours, all } = restOfMonth(Date.now())
  await dialog.getByText(`for ${hours} of ${all} hours`).waitFor()
  await assertAccessible(page)
  await dialog.getByText('€0.00 → €9.00', { exact: true }).waitFor()
  await dialog.getByRole('button', { name: 'Change to Pay as you go' }).click()
  await page.getByRole('heading', { name: 'Your plan: Pay as you go' }).waitFor()
}

/** A smaller plan says what it would refuse, as its card does. */
async function seeSmallerPlan(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Choose…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Change from Pay as you go to Free?' })
  await dialog.getByText('Not enough for last month').waitFor()
  await dialog.getByText('€9.00 → €0.00', { exact: true }).waitFor()
  await dialog.getByText('The prices of Pay as you go are charged until').waitFor()
  await dialog.getByText('Above the limit of messages or bytes').waitFor()
  await assertAccessible(page)
  await dialog.getByRole('button', { name: 'Cancel' }).click()
}

suite('money in the browser', { skip }, () => {
  test('a plan says what it costs, an invoice is verified and its PDF opened', async (t) => {
    const environment = {
      MOORING_PLANS_FILE: plansFile(),
      MOORING_INVOICE_SELLER: 'Mooring GmbH',
      MOORING_PAYMENT_INSTRUCTIONS: HOW,
    }
    const opened = await openAsOwner(t, 'billing', environment)
    const { page, dataDir, assertClean } = opened
    await page.getByRole('heading', { name: 'Your plan: Free' }).waitFor()
    await withDatabase(dataDir, (query) => query(useOfAcme))
    await page.reload()
    await page.getByText(`${PRICE} a month, with the usage of last month`).waitFor()
    await assertAccessible(page)
    await choosePlan(page)
    await seeSmallerPlan(page)
    await page.getByLabel('Name').fill('Acme Sensors GmbH')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved').first().waitFor()
    const plan = JSON.stringify(examplePlans().plans[1])
    await withDatabase(dataDir, async (query) => {
      await query(planOfAcme, [plan])
      await makeInvoices(query)
    })
    await page.getByRole('link', { name: 'Invoices' }).click()
    await page.getByText('unpaid', { exact: true }).waitFor({ timeout: 120_000 })
    await page.getByRole('row').filter({ hasText: 'unpaid' }).getByRole('link').click()
    await page.getByRole('heading', { name: 'Amounts' }).waitFor()
    await assertSubtotal(opened)
    await page.getByRole('button', { name: 'Verify' }).click()
    await page.getByText('The invoice is correct').waitFor()
    await assertAccessible(page)
    const pdf = await downloadOf(page, 'PDF')
    assert.equal(pdf.subarray(0, 5).toString(), '%PDF-')
    await page.getByRole('heading', { name: 'How to pay' }).waitFor()
    await page.getByText(HOW).waitFor()
    assert.equal(await page.getByRole('button', { name: /^Pay €/ }).count(), 0)
    const invoicePage = page.url()
    await assertTakesNoCards(page)
    await page.goto(invoicePage)
    await withDatabase(dataDir, (query) =>
      query(`UPDATE usage_hours SET messages = messages + 5000 WHERE messages = 1200000`),
    )
    await page.getByRole('button', { name: 'Verify' }).click()
    await page.getByText('The invoice does not match its usage and plans').waitFor()
    await assertAccessible(page)
    await page.getByRole('link', { name: 'Usage' }).click()
    await page.getByRole('link', { name: 'By month' }).click()
    await page.getByRole('img', { name: /^Messages, by month: total 1,205,000/ }).waitFor()
    await assertAccessible(page)
    assertClean()
  })
})
