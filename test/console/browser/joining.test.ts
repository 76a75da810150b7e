/** How somebody without an account gets into the console: the first person, and those invited. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { refreshConsole } from '../../../src/commands/serve.ts'
import { as, startApp, type TestApp } from '../../support/app.ts'
import {
  assertAccessible,
  openBrowser,
  openPage,
  skip,
  startConsole,
} from '../../support/browser.ts'
import { mailTo } from '../../support/outbox.ts'
import { PASSWORD, person, signIn } from '../../support/sign-in.ts'

const HOSTILE = '<img src=x onerror=alert(1)>'

const heading = (page: Page, name: string) => page.getByRole('heading', { name }).waitFor()

/** Nothing of the link is left where somebody could see it. */
const assertNoToken = (page: Page): void => assert.equal(new URL(page.url()).hash, '')

test('the printed link of the first start makes the first person', { skip }, async (t) => {
  const service = await startConsole(t)
  const [link] = /http\S+\/setup#token=\S+/.exec(service.output.stdout) ?? []
  assert.ok(link, service.output.stdout)
  const browser = await openBrowser(t)
  const { page, assertClean } = await openPage(t, browser, service)
  await page.goto(link)
  await heading(page, 'Set up Mooring')
  assertNoToken(page)
  await page.getByRole('button', { name: 'Deutsch' }).click()
  await heading(page, 'Mooring einrichten')
  assert.equal(await page.locator('html').getAttribute('lang'), 'de')
  assertNoToken(page)
  await assertAccessible(page)
  await page.getByRole('button', { name: 'English' }).click()
  await heading(page, 'Set up Mooring')
  assertNoToken(page)
  await assertAccessible(page)
  await page.getByLabel('E-mail').fill('ada@example.com')
  await page.getByLabel('Your name').fill(HOSTILE)
  await page.getByLabel('Password', { exact: true }).fill('short')
  await page.getByLabel('Workspace').fill('Acme Sensors GmbH')
  assert.equal(await page.getByLabel('Slug').inputValue(), 'acme-sensors-gmbh')
  await page.getByRole('button', { name: 'Set up' }).click()
  await page.getByRole('alert').waitFor()
  await assertAccessible(page)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Set up' }).click()
  await heading(page, 'Your workspace is ready')
  await assertAccessible(page)
  await page.getByRole('link', { name: 'Connect the first device' }).click()
  await page.waitForURL(/\/w\/acme-sensors-gmbh\/devices\/new$/)

  await page.goto(link)
  await heading(page, 'Mooring is already set up')
  assertNoToken(page)
  assertClean()
})

/** Invites an address to a workspace. @returns the link of the mail */
async function invite(app: TestApp, email: string): Promise<string> {
  const owner = await person(app)
  const { access_token: token } = await signIn(app, owner)
  const body = { name: HOSTILE, slug: `w${owner.email.split('@')[0]}` }
  const made = await app.call('POST', '/workspaces', { as: as.user(token), body })
  assert.equal(made.status, 201, made.text)
  const invited = await app.call('POST', `/workspaces/${made.body.id}/invitations`, {
    as: as.user(token),
    body: { email, role: 'member' },
  })
  assert.equal(invited.status, 201, invited.text)
  const [mail] = await mailTo(app, email)
  const [link] = /http\S+#token=\w+/.exec(mail?.text ?? '') ?? []
  assert.ok(link, mail?.text ?? 'no mail')
  return link
}

test('an invitation makes the account of somebody who has none', { skip }, async (t) => {
  await refreshConsole()
  const app = await startApp(t)
  const { page, assertClean } = await openPage(t, await openBrowser(t), app)
  const link = await invite(app, 'grace@example.com')
  await page.goto(link)
  await heading(page, 'Invitation')
  await page.getByText(HOSTILE).first().waitFor()
  assertNoToken(page)
  await assertAccessible(page)
  assert.equal(await page.getByLabel('E-mail').inputValue(), 'grace@example.com')
  await page.getByLabel('Your name').fill('Grace Hopper')
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Join' }).click()
  await page.waitForURL(/\/console\/w\/w\w+/)
  await page.getByRole('button', { name: 'Grace Hopper' }).waitFor()

  await page.goto(link)
  await page
    .getByText('This invitation was used or withdrawn, has expired, or has a newer link.')
    .waitFor()
  await assertAccessible(page)
  assertClean()
})

test('an invitation asks somebody with an account to sign in, as themselves', {
  skip,
}, async (t) => {
  await refreshConsole()
  const app = await startApp(t)
  const { page, assertClean } = await openPage(t, await openBrowser(t), app)
  const [invited, other] = [await person(app), await person(app)]
  const link = await invite(app, invited.email)
  await page.goto('/console/sign-in')
  await page.getByLabel('E-mail').fill(other.email)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await heading(page, 'Workspaces')

  await page.goto(link)
  await page.getByText(`You are signed in as ${other.email}`).waitFor()
  await assertAccessible(page)
  await page.getByRole('button', { name: 'Sign out' }).click()
  assert.equal(await page.getByLabel('E-mail').inputValue(), invited.email)
  await assertAccessible(page)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('button', { name: 'Join' }).click()
  await page.waitForURL(/\/console\/w\/w\w+/)
  assertClean()
})
