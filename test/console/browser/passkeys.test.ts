/** Passkeys, with the authenticator that Chromium has for tests. */
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { refreshConsole } from '../../../src/commands/serve.ts'
import { startApp } from '../../support/app.ts'
import { assertAccessible, openBrowser, openPage, skip } from '../../support/browser.ts'
import { originOf } from '../../support/passkeys.ts'
import { movingClock, PASSWORD, type Person, person } from '../../support/sign-in.ts'

const ELEVEN_MINUTES = 660_000

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

/**
 * A service, and the window of somebody whose device has no passkey yet.
 * @param offers whether the browser offers passkeys where it fills in the address
 */
async function open(t: TestContext, { offers = false } = {}) {
  await refreshConsole()
  const clock = movingClock()
  const app = await startApp(t, { clock })
  // Browsers have no passkeys for an IP address.
  const opened = await openPage(t, await openBrowser(t), { origin: originOf(app) })
  if (!offers) {
    const none = 'PublicKeyCredential.isConditionalMediationAvailable = async () => false'
    await opened.page.addInitScript(none)
  }
  const devtools = await opened.page.context().newCDPSession(opened.page)
  await devtools.send('WebAuthn.enable')
  const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  /** Whether somebody touches the authenticator whenever it asks. */
  const touch = (enabled: boolean) =>
    devtools.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled })
  return { ...opened, clock, touch, someone: await person(app) }
}

async function signIn(page: Page, { email }: Person): Promise<void> {
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await button(page, 'Sign in').click()
}

async function pressSignOut(page: Page): Promise<void> {
  await page.getByRole('banner').getByRole('button').last().click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
}

async function signOut(page: Page): Promise<void> {
  await pressSignOut(page)
  await page.getByRole('heading', { name: 'Sign in to Mooring' }).waitFor()
}

async function add(page: Page, name: string): Promise<void> {
  await button(page, 'Add a passkey').click()
  const dialog = page.getByRole('dialog', { name: 'Add a passkey' })
  await dialog.getByLabel('Name').fill(name)
  await assertAccessible(page)
  await button(page, 'Add').click()
}

test('a passkey is added, signs in, proves who is there, and is removed', { skip }, async (t) => {
  const { page, clock, someone, assertClean } = await open(t)
  await page.goto('/console/account/security')
  await signIn(page, someone)
  await add(page, 'Laptop')
  await page.getByText('The passkey is added').waitFor()
  await page.getByText('never used').waitFor()
  await assertAccessible(page)

  await signOut(page)
  await assertAccessible(page)
  await button(page, 'Sign in with a passkey').click()
  await page.getByRole('heading', { name: 'Workspaces' }).waitFor()
  await page.goto('/console/account/security')
  await page.getByText('last used').waitFor()

  clock.move(ELEVEN_MINUTES)
  await button(page, 'Set up an authenticator').click()
  const proof = page.getByRole('dialog', { name: 'Is it you?' })
  await proof.getByRole('button', { name: 'Use a passkey' }).waitFor()
  await assertAccessible(page)
  await proof.getByRole('button', { name: 'Use a passkey' }).click()
  await page.getByRole('dialog', { name: 'Set up an authenticator' }).waitFor()
  await button(page, 'Cancel').click()

  await button(page, 'Rename Laptop').click()
  await page.getByRole('dialog').getByLabel('Name').fill('Old laptop')
  await button(page, 'Rename').click()
  await button(page, 'Remove Old laptop').click()
  await assertAccessible(page)
  await button(page, 'Remove').click()
  await page.getByText('The passkey is removed').waitFor()
  await button(page, 'Remove Old laptop').waitFor({ state: 'detached' })

  await signOut(page)
  await button(page, 'Sign in with a passkey').click()
  const refusal = page.getByRole('alert')
  await refusal.getByText('The passkey is not known here').waitFor()
  await assertAccessible(page)
  await signIn(page, someone)
  await page.getByRole('heading', { name: 'Workspaces' }).waitFor()
  assertClean()
})

test('a passkey is offered where the address is filled in, until the button asks for one', {
  skip,
}, async (t) => {
  const { page, touch, someone, assertClean } = await open(t, { offers: true })
  await page.goto('/console/account/security')
  await signIn(page, someone)
  await add(page, 'Laptop')
  await page.getByText('The passkey is added').waitFor()

  // A touch of the authenticator signs in, without a button.
  const chosen = page.waitForResponse(/session\/passkey$/)
  await pressSignOut(page)
  await chosen
  await page.getByRole('heading', { name: 'Workspaces' }).waitFor()

  await touch(false)
  const offered = page.waitForResponse(/session\/passkey\/options$/)
  await signOut(page)
  await offered
  const field = page.getByLabel('E-mail')
  assert.equal(await field.getAttribute('autocomplete'), 'username webauthn')
  await assertAccessible(page)
  await touch(true)
  await button(page, 'Sign in with a passkey').click()
  await page.getByRole('heading', { name: 'Workspaces' }).waitFor()
  assertClean()
})

test('a password alone adds no second one, and a device holds one', { skip }, async (t) => {
  const { page, someone, assertClean } = await open(t)
  await page.goto('/console/account/security')
  await signIn(page, someone)
  await add(page, 'Laptop')
  await button(page, 'Remove Laptop').waitFor()
  await add(page, 'Phone')
  const proof = page.getByRole('dialog', { name: 'Is it you?' })
  await proof.getByText('Your account has a second factor').waitFor()
  await assertAccessible(page)
  await proof.getByRole('button', { name: 'Use a passkey' }).click()
  await page.getByRole('alert').getByText('has a passkey of your account already').waitFor()
  assertClean()
})
