/** Signing in by identity providers in the browser, from the button to the page asked for. */
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { refreshConsole } from '../../../src/commands/serve.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { sql } from '../../support/audit-chain.ts'
import { assertAccessible, openBrowser, openPage, skip } from '../../support/browser.ts'
import { freePort } from '../../support/free-port.ts'
import { type OidcProvider, startOidcProvider } from '../../support/oidc.ts'
import { PASSWORD, person } from '../../support/sign-in.ts'

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

async function goAs(page: Page, login: string, label = 'Acme'): Promise<void> {
  await button(page, `Sign in with ${label}`).click()
  await page.getByLabel('Login').fill(login)
  await button(page, 'Continue').click()
}

/** Here and at the providers. */
const leave = (page: Page): Promise<void> => page.context().clearCookies({ domain: '127.0.0.1' })

interface Bench {
  t: TestContext
  app: TestApp
  browser: Browser
  acme: OidcProvider
  /** Signs in addresses of `beta.test` only. */
  beta: OidcProvider
}

const WORKSPACE = 'acme-lamps'

const entryOf = (name: string, { issuer, clientId, clientSecret }: OidcProvider, role: string) => ({
  name,
  label: name === 'acme' ? 'Acme' : 'Beta',
  issuer,
  client_id: clientId,
  client_secret: clientSecret,
  joins: [{ domain: `${name}.test`, workspace: WORKSPACE, role }],
})

async function openBench(t: TestContext): Promise<Bench> {
  await refreshConsole()
  const port = await freePort()
  const back = `http://127.0.0.1:${port}/console/sign-in/sso`
  const acme = await startOidcProvider(t, [`${back}/acme`])
  const beta = await startOidcProvider(t, [`${back}/beta`])
  const folder = await mkdtemp(join(tmpdir(), 'sso-'))
  t.after(() => rm(folder, { recursive: true }))
  const file = join(folder, 'sso.json')
  const ofBeta = { ...entryOf('beta', beta, 'viewer'), domains: ['beta.test'] }
  const providers = [entryOf('acme', acme, 'member'), ofBeta]
  await writeFile(file, JSON.stringify({ providers }), { mode: 0o600 })
  const environment = { MOORING_SSO_FILE: file, MOORING_HTTP_PORT: String(port) }
  const app = await startApp(t, { environment })
  const rename = 'UPDATE workspaces SET slug = $2, name = $3 WHERE id = $1'
  await sql(app.database, rename, [app.seed.uuid, WORKSPACE, 'Acme Lamps'])
  return { t, app, browser: await openBrowser(t), acme, beta }
}

/** The list of workspaces has the one that the domain joins, with this role. */
const isIn = (page: Page, role: string): Promise<void> =>
  page.getByRole('row').filter({ hasText: 'Acme Lamps' }).getByText(role, { exact: true }).waitFor()

async function signInAndLink({ t, app, browser, acme }: Bench): Promise<void> {
  const opened = await openPage(t, browser, app)
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
  await page.goto('/console/workspaces')
  await isIn(page, 'member')
  await page.getByRole('link', { name: 'Acme Lamps' }).first().click()
  await page.waitForURL(new RegExp(`/console/w/${WORKSPACE}`))
  await page.getByRole('link', { name: 'Devices' }).first().waitFor()
  await page.getByRole('banner').getByRole('button').last().click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()

  const someone = await person(app)
  acme.people.set('ada', { email: someone.email, email_verified: true, name: 'Ada' })
  await leave(page)
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
}

async function useTheOther({ t, app, browser, beta }: Bench): Promise<void> {
  const opened = await openPage(t, browser, app)
  const { page } = opened
  opened.mayLoad(beta.issuer)
  const goTo = async (login: string): Promise<void> => {
    await leave(page)
    await page.goto('/console/sign-in')
    await goAs(page, login, 'Beta')
  }
  /** The text of the page to which the provider has sent the browser back. */
  const refused = async (text: string): Promise<void> => {
    await page.getByRole('heading', { name: 'Signing in with Beta' }).waitFor()
    await page.getByRole('alert').getByText(text).waitFor()
    assert.doesNotMatch(page.url(), /code=|state=/)
    await assertAccessible(page)
  }

  beta.people.set('eve', { email: 'eve@elsewhere.test', email_verified: true, name: 'Eve' })
  await goTo('eve')
  await refused('Beta signs in addresses of beta.test here, and yours is another one.')
  await page.getByRole('link', { name: 'Sign in' }).click()
  await button(page, 'Sign in with Beta').waitFor()

  beta.people.set('bob', { email: 'bob@beta.test', email_verified: true, name: 'Bob' })
  await goTo('bob')
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  await page.goto('/console/workspaces')
  await isIn(page, 'viewer')

  // It stops after it has sent the browser back.
  await page.route('**/console/api/session/sso', async (route) => {
    await beta.stop()
    await route.continue()
  })
  await goTo('bob')
  await refused('Beta does not answer. Try again')
  opened.assertClean()
}

test('signing in by identity providers', { skip }, async (t) => {
  const bench = await openBench(t)
  await t.test('a domain joins its workspace, and an account that is there is linked', () =>
    signInAndLink(bench),
  )
  await t.test(
    'each provider has its button, and a refused domain and a failing provider are reported',
    () => useTheOther(bench),
  )
})
