/** The use of mailed links in the console. */
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { refreshConsole } from '../../../src/commands/serve.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { assertAccessible, openBrowser, openPage, skip } from '../../support/browser.ts'
import { mailTo } from '../../support/outbox.ts'
import { PASSWORD, person } from '../../support/sign-in.ts'
import { until } from '../../support/until.ts'

const OTHER_PASSWORD = 'nineteen copper lanterns'

const heading = (page: Page, name: string) => page.getByRole('heading', { name }).waitFor()

/** The link of the newest mail to an address. A job sends it, some time after the response. */
const mailedLink = (app: TestApp, address: string): Promise<string> =>
  until(`a link is mailed to ${address}`, async () => {
    const [mail] = await mailTo(app, address)
    return /http\S+#token=\w+/.exec(mail?.text ?? '')?.[0] ?? false
  })

async function open(t: TestContext, environment = {}) {
  await refreshConsole()
  const app = await startApp(t, { environment })
  return { app, ...(await openPage(t, await openBrowser(t), app)) }
}

async function signIn(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

test('a lost password is replaced by a mailed link', { skip }, async (t) => {
  const { app, page, assertClean } = await open(t)
  const { email } = await person(app)
  await page.goto('/console/sign-in')
  await page.getByRole('link', { name: 'Forgot your password?' }).click()
  await assertAccessible(page)
  await page.getByLabel('E-mail').fill(email)
  await page.getByRole('button', { name: 'Request a reset link' }).click()
  // No mail server is set up, so the page names no mail that does not come.
  await page.getByText('Ask the operator for the link.').waitFor()
  assert.equal(await page.getByText('Look at your mail').count(), 0)
  await assertAccessible(page)
  const link = await mailedLink(app, email)
  await page.goto(link)
  await heading(page, 'Choose a new password')
  assert.equal(new URL(page.url()).hash, '')
  const password = page.getByLabel('New password', { exact: true })
  await password.and(page.locator(':focus')).waitFor()
  await password.fill(OTHER_PASSWORD)
  await assertAccessible(page)
  await page.getByRole('button', { name: 'Change password' }).click()
  await page.getByText('Your password is changed.').waitFor()
  await assertAccessible(page)
  await page.getByRole('link', { name: 'Sign in' }).click()
  await signIn(page, email, OTHER_PASSWORD)
  await heading(page, 'Workspaces')

  await page.goto(link)
  await page.getByLabel('New password', { exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Change password' }).click()
  await page.getByRole('alert').waitFor()
  assertClean()
})

test('another address is used after its mailed link was opened', { skip }, async (t) => {
  const { app, page, assertClean } = await open(t)
  const { email } = await person(app)
  const other = `other-${email}`
  await page.goto('/console/account')
  await signIn(page, email, PASSWORD)
  await page.getByLabel('New address').fill(other)
  await page.getByRole('button', { name: 'Send confirmation link' }).click()
  await page.getByText(`Open the link that is written for ${other}.`).waitFor()
  await assertAccessible(page)
  await page.goto(await mailedLink(app, other))
  await assertAccessible(page)
  await page.getByRole('button', { name: 'Use the new address' }).click()
  await page.getByText(`Your address is ${other}.`).waitFor()
  await page.getByRole('link', { name: 'Your account' }).click()
  await page.getByText(`You sign in as ${other}`).waitFor()
  assertClean()
})

test('where accounts are open to all, one is made by a mailed link', { skip }, async (t) => {
  const { app, page, assertClean } = await open(t, { MOORING_REGISTRATION: 'open' })
  await page.goto('/console/sign-in')
  await page.getByRole('link', { name: 'Create account' }).click()
  await page.getByLabel('E-mail').fill('grace@example.com')
  await assertAccessible(page)
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByText('Ask the operator for the link.').waitFor()
  await page.goto(await mailedLink(app, 'grace@example.com'))
  await page.getByLabel('Your name').fill('Grace Hopper')
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await assertAccessible(page)
  await page.getByRole('button', { name: 'Create account' }).click()
  await heading(page, 'Workspaces')
  await page.getByRole('button', { name: 'Grace Hopper' }).waitFor()
  assertClean()
})
