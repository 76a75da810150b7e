/** Money in the browser: a plan with its price, an invoice that is verified, and its PDF. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { suite, test } from 'node:test'
import type { Page } from 'playwright-core'
import { assertAccessible, skip } from '../../support/browser.ts'
import { openAsOwner } from '../../support/console-page.ts'
import { makeInvoices, withDatabase } from '../../support/invoiced-workspaces.ts'
import { examplePlans, plansFile } from '../../support/plans.ts'

/** The workspace has had the plan for the last month, and has used 1,200,000 messages in it. */
const lastMonth = `WITH month AS (
    SELECT date_trunc('month', now(), 'UTC') - interval '1 month' AS at),
  ws AS (SELECT id FROM workspaces WHERE slug = 'acme'),
  subscription AS (
    INSERT INTO subscriptions (workspace_id, currency, drafted_until)
    SELECT ws.id, 'EUR', month.at FROM ws, month
    ON CONFLICT (workspace_id) DO UPDATE
    SET currency = 'EUR', drafted_until = excluded.drafted_until
    RETURNING workspace_id, drafted_until),
  gone AS (DELETE FROM subscription_terms WHERE workspace_id = (SELECT id FROM ws) RETURNING 1),
  term AS (
    INSERT INTO subscription_terms (workspace_id, starts_at, plan_id, plan, created_by)
    SELECT workspace_id, drafted_until, 'pay-as-you-go', $1, 'test' FROM subscription)
  INSERT INTO usage_hours SELECT ws.id, month.at + interval '3 hours',
    '00000000-0000-0000-0000-000000000000', 1200000, 0, 0, 0 FROM ws, month`

const downloadOf = async (page: Page, name: string): Promise<Buffer> => {
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name }).click(),
  ])
  return readFile(await file.path())
}

suite('money in the browser', { skip }, () => {
  test('a plan says what it costs, an invoice is verified and its PDF opened', async (t) => {
    const environment = {
      MOORING_PLANS_FILE: plansFile(),
      MOORING_INVOICE_SELLER: 'Mooring GmbH',
    }
    const { page, dataDir, assertClean } = await openAsOwner(t, 'billing', environment)
    await page.getByRole('heading', { name: 'Your plan: Free' }).waitFor()
    await assertAccessible(page)
    await page.getByRole('button', { name: 'Choose…' }).last().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Choose it' }).click()
    await page.getByRole('heading', { name: 'Your plan: Pay as you go' }).waitFor()
    await page.getByLabel('Name').fill('Acme Sensors GmbH')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved').first().waitFor()
    const plan = JSON.stringify(examplePlans().plans[1])
    await withDatabase(dataDir, async (query) => {
      await query(lastMonth, [plan])
      await makeInvoices(query)
    })
    await page.getByRole('link', { name: 'Invoices' }).click()
    await page.getByText('open', { exact: true }).waitFor({ timeout: 120_000 })
    await page.getByRole('row').filter({ hasText: '€' }).getByRole('link').click()
    await page.getByRole('heading', { name: /^Lines of/ }).waitFor()
    await page.getByRole('button', { name: 'Verify' }).click()
    await page.getByText('The invoice is right').waitFor()
    await assertAccessible(page)
    const pdf = await downloadOf(page, 'PDF')
    assert.equal(pdf.subarray(0, 5).toString(), '%PDF-')
    await page.getByRole('button', { name: /^Pay €/ }).click()
    await page.getByText('It is paid by hand').waitFor()
    await withDatabase(dataDir, (query) =>
      query(`UPDATE usage_hours SET messages = messages + 5000 WHERE messages = 1200000`),
    )
    await page.getByRole('button', { name: 'Verify' }).click()
    await page.getByText('The invoice is not what its use and plans give').waitFor()
    await assertAccessible(page)
    await page.getByRole('link', { name: 'Usage' }).click()
    await page.getByRole('link', { name: 'A year by the month' }).click()
    await page
      .getByRole('img', { name: /^Messages, a year by the month: in all 1,205,000/ })
      .waitFor()
    await assertAccessible(page)
    assertClean()
  })
})
