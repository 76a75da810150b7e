/**
 * Paying in the browser: an invoice is computed, verified and paid by card, balance is bought, and
 * cards are refused. Stripe is a stand-in: its API, its script, and the frames of both.
 */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { suite, test } from 'node:test'
import type { FrameLocator, Page } from 'playwright-core'
import { assertAccessible, skip } from '../../support/browser.ts'
import { openAsOwner } from '../../support/console-page.ts'
import {
  makeInvoices,
  planOfAcme,
  useOfAcme,
  withDatabase,
} from '../../support/invoiced-workspaces.ts'
import { examplePlans, plansFile } from '../../support/plans.ts'
import { startStripe, type StripeStandIn } from '../../support/stripe.ts'
import { standInForStripe, STRIPE_ORIGINS } from '../../support/stripe-browser.ts'

const GOOD = '4242 4242 4242 4242'
const DECLINED = '4000 0000 0000 0002'
const ASKS = '4000 0000 0000 3220'
const STOLEN = '4000 0000 0000 9979'

const formOf = (page: Page): FrameLocator => page.frameLocator('iframe[title="Card"]')
const bankOf = (page: Page): FrameLocator => page.frameLocator('iframe[title="Bank"]')

const typeCard = (page: Page, number: string): Promise<void> =>
  formOf(page).getByLabel('Card number').fill(number)

const press = (page: Page, name: string | RegExp): Promise<void> =>
  page.getByRole('button', { name }).click()

async function inPaymentDocument(page: Page, title: string): Promise<void> {
  // The page before may have a heading of the same text.
  await page.waitForURL(/\/console\/pay\/[a-z-]+$/)
  await page.getByRole('heading', { name: title }).waitFor()
}

/** Two cards are refused; a third asks the payer, and is confirmed at the second try. */
async function payInvoice(page: Page): Promise<void> {
  await press(page, /^Pay €11\.00$/)
  await inPaymentDocument(page, 'Pay an invoice')
  await typeCard(page, STOLEN)
  await assertAccessible(page)
  await press(page, /^Pay €11\.00$/)
  await page.getByText('Your card was declined.').waitFor()
  await typeCard(page, DECLINED)
  await press(page, /^Pay €11\.00$/)
  await page.getByText('Your card has insufficient funds.').waitFor()
  await page.getByRole('radio', { name: /visa …0002/ }).waitFor()
  await page.getByRole('radio', { name: 'Another card' }).check()
  await typeCard(page, ASKS)
  await press(page, /^Pay €11\.00$/)
  await bankOf(page).getByRole('button', { name: 'Fail' }).click()
  await page.getByText('The card was refused').waitFor()
  await assertAccessible(page)
  await page.getByRole('radio', { name: /visa …3220/ }).waitFor()
  // The service charges a card that was just refused only after ten seconds.
  await typeCard(page, ASKS)
  await press(page, /^Pay €11\.00$/)
  await bankOf(page).getByRole('button', { name: 'Complete' }).click()
  await page.getByText('Paid €11.00').waitFor()
  await page.getByText('From visa …3220').waitFor()
  assert.match(page.url(), /\/console\/w\/acme\/billing\/invoices\/inv_\w+\?payment=pay_\w+$/)
}

async function addCard(page: Page, stripe: StripeStandIn, reach: (is: boolean) => void) {
  await page.getByRole('link', { name: 'Billing' }).first().click()
  await page.getByRole('link', { name: 'Payments' }).click()
  reach(false)
  await press(page, 'Add a card')
  await inPaymentDocument(page, 'Add a card')
  await page.getByText('The form of Stripe did not load').waitFor()
  await assertAccessible(page)
  reach(true)
  await press(page, 'Try again')
  // Before that, the frame hears nothing.
  await typeCard(page, '')
  await press(page, 'Save the card')
  await page.getByText('Your card number is incomplete.').waitFor()
  await typeCard(page, GOOD)
  stripe.fail(/setup_intents$/, 'cut', 2)
  await press(page, 'Save the card')
  await page.getByText('payment_provider_unavailable').waitFor()
  await press(page, 'Save the card')
  await page.getByText('visa …4242 was added').waitFor()
  await page.getByRole('row').filter({ hasText: 'visa …4242' }).waitFor()
}

async function topUp(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Balance' }).click()
  await press(page, 'Add to the balance')
  await inPaymentDocument(page, 'Pay in advance')
  await page.getByLabel('Amount in EUR').fill('25')
  await page.getByRole('radio', { name: /visa …4242/ }).check()
  await assertAccessible(page)
  await press(page, /^Pay €25\.00$/)
  await page.getByText('Paid €25.00').waitFor()
  await page.getByText('Prepaid balance').waitFor()
}

/** The members of the browser's window that the test needs. */
interface Window {
  open: (url: string) => { closed: boolean } | null
  navigator: { serviceWorker: { register(url: string): Promise<unknown> } }
}

/** The effects of a script in the payment document on the session of the console. */
const attempts = (page: Page) =>
  page.evaluate(async () => {
    const { navigator, open: openWindow } = globalThis as unknown as Window
    const outcome = (work: Promise<unknown>): Promise<string> =>
      work.then(
        () => 'done',
        () => 'refused',
      )
    const refreshing = fetch('/console/api/session/refresh', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    })
    const [asset] = performance
      .getEntriesByType('resource')
      .filter(({ name }) => name.endsWith('js'))
    // A browser shows each of these as a document. Until one has come its window is connected.
    const opened = ['/console/', asset?.name ?? '', '/api/v1/auth/me'].map((url) => openWindow(url))
    const held = () => opened.filter((each) => each !== null && !each.closed).length
    for (let tries = 0; held() > 0 && tries < 50; tries += 1) {
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
    return {
      refresh: await outcome(refreshing),
      api: await outcome(fetch('/api/v1/auth/me')),
      worker: await outcome(navigator.serviceWorker.register('/console/assets/index.js')),
      windows: held(),
    }
  })

suite('paying in the browser', { skip }, () => {
  test('an invoice is computed, verified, paid by card, and its PDF opened', async (t) => {
    const stripe = await startStripe(t)
    const environment = {
      ...stripe.environment,
      MOORING_PLANS_FILE: plansFile(),
      MOORING_INVOICE_SELLER: 'Mooring GmbH',
    }
    const opened = await openAsOwner(t, 'billing?tab=invoices', environment)
    const { page, dataDir, assertClean, mayLoad } = opened
    mayLoad(...STRIPE_ORIGINS)
    const origin = new URL(page.url()).origin
    const reach = await standInForStripe(page, stripe, origin)
    const plan = JSON.stringify(examplePlans().plans[1])
    await withDatabase(dataDir, async (query) => {
      await query(useOfAcme)
      await query(planOfAcme, [plan])
      await makeInvoices(query)
    })
    await page.getByText('unpaid', { exact: true }).waitFor({ timeout: 120_000 })
    await page.getByRole('link', { name: 'Balance' }).click()
    await page.getByText('€11.00 is unpaid').waitFor()
    await assertAccessible(page)
    await page.getByRole('link', { name: 'See the invoices' }).click()
    await page.getByRole('row').filter({ hasText: 'INV-' }).getByRole('link').click()
    await press(page, 'Verify')
    await page.getByText('The invoice is correct').waitFor()
    await payInvoice(page)
    const [file] = await Promise.all([page.waitForEvent('download'), press(page, 'PDF')])
    assert.equal((await readFile(await file.path())).subarray(0, 5).toString(), '%PDF-')
    await addCard(page, stripe, reach)
    await topUp(page)
    const sums = stripe.objects.charges.map(({ amount }) => amount)
    assert.deepEqual(sums, [1_100, 2_500], 'each is charged once')
    assertClean()
    const other = await page.context().newPage()
    await other.goto('/console/pay/method')
    await other.getByText('This page has expired').waitFor()
    assert.deepEqual(await attempts(other), {
      refresh: 'refused',
      api: 'done',
      worker: 'refused',
      windows: 0,
    })
  })
})
