/** Signing in by identity providers in the browser, from the button to the page asked for. */
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { refreshConsole } from '../../../src/commands/serve/console-build.ts'
import { startApp } from '../../support/app.ts'
import { assertAccessible, openBrowser, openPage, skip } from '../../support/browser.ts'
import { freePort } from '../../support/free-port.ts'
import { startOidcProvider } from '../../support/oidc.ts'
import { PASSWORD, person } from '../../support/sign-in.ts'

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

async function goAs(page: Page, login: string): Promise<void> {
  await button(page, 'Sign in with Acme').click()
  await page.getByLabel('Login').fill(login)
  await button(page, 'Continue').click()
}

test('people sign in with a provider, and link an account that they have', { skip }, async (t) => {
  await refreshConsole()
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  const acme = await startOidcProvider(t, [`${origin}/console/sign-in/sso/acme`])
  const folder = await mkdtemp(join(tmpdir(), 'sso-'))
  t.after(() => rm(folder, { recursive: true }))
  const file = join(folder, 'sso.json')
  const entry = {
    name: 'acme',
    label: 'Acme',
    issuer: acme.issuer,
    client_id: acme.clientId,
    client_secret: acme.clientSecret,
    joins: [{ domain: 'acme.test', workspace: 'none', role: 'member' }],
  }
  await writeFile(file, JSON.stringify({ providers: [entry] }), { mode: 0o600 })
  const environment = { MOORING_SSO_FILE: file, MOORING_HTTP_PORT: String(port) }
  const app = await startApp(t, { environment })
  const opened = await openPage(t, await openBrowser(t), app)
  const { page } = opened
  opened.mayLoad(acme.issuer)

  acme.people.set('grace', { email: 'grace@acme.test', email_verified: true, name: 'Grace' })
  await page.goto('/console/account/security')
  await button(page, 'Sign in with Acme').waitFor()
  await assertAccessible(page)
  await goAs(page, 'grace')
  await page.getByRole('heading', { name: 'Single sign-on' }).waitFor()
  await page.getByText('grace@acme.test').first().waitFor()
  assert.doesNotMatch(page.url(), /code=|state=/)
  await page.getByRole('banner').getByRole('button').last().click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()

  const someone = await person(app)
  acme.people.set('ada', { email: someone.email, email_verified: true, name: 'Ada' })
  await page.context().clearCookies({ domain: '127.0.0.1' })
  await page.goto('/console/sign-in')
  await goAs(page, 'ada')
  await page.getByText(`There is an account for ${someone.email}`).waitFor()
  await assertAccessible(page)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await button(page, 'Sign in').click()
  await page.getByRole('heading', { name: 'Workspaces' }).waitFor()
  await page.goto('/console/account/security')
  await button(page, 'Unlink…').waitFor()
  opened.assertClean()
})
