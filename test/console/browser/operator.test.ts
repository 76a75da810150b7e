/** The installation, as its operators see it in the browser; and everybody else, who does not. */
import assert from 'node:assert/strict'
import { suite, test, type TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { refreshConsole } from '../../../src/commands/serve/console-build.ts'
import { setInstallationRole } from '../../../src/features/identity/accounts/account.ts'
import { INSTALLATION } from '../../../src/platform/record/event.ts'
import { newUuid } from '../../../src/platform/lib/ids.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { sql } from '../../support/audit-chain.ts'
import { openBrowser, openPage, skip } from '../../support/browser.ts'
import { HOSTILE, installationPlaces, type Made, type Place } from '../../support/console-places.ts'
import { failure, faultsOf, germanFaultsOf } from '../../support/console-walk.ts'
import { codeOf, type Enrolled, enrolled, movingClock, PASSWORD } from '../../support/sign-in.ts'

const clock = movingClock()

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

async function signIn(page: Page, { email, secret }: Enrolled): Promise<void> {
  await page.goto('/console/sign-in')
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await button(page, 'Sign in').click()
  await page.getByLabel('Code').fill(codeOf(secret, clock))
  await button(page, 'Continue').click()
  await page.getByRole('heading', { name: 'Workspaces' }).waitFor()
}

/** Texts that nobody trusts, in what operators see of others. */
async function fill({ database, services, seed }: TestApp): Promise<void> {
  await sql(database, 'UPDATE users SET name = $2 WHERE id = $1', [seed.owner.uuid, HOSTILE])
  await sql(database, 'UPDATE workspaces SET name = $2 WHERE id = $1', [seed.uuid, HOSTILE])
  const id = newUuid()
  const text = services.keyring.encrypt(Buffer.from('x'), `mail_outbox ${id}`)
  await sql(
    database,
    `INSERT INTO mail_outbox (workspace_id, id, recipient, subject, sealed_text, status, tries,
                              last_error, ended_at)
     VALUES ($1, $2, 'lost@example.com', $3, $4, 'failed', 12, $3, now())`,
    [INSTALLATION, id, HOSTILE, text],
  )
}

async function open(t: TestContext) {
  await refreshConsole()
  const app = await startApp(t, { clock })
  await fill(app)
  const operator = await enrolled(app, clock)
  await setInstallationRole(app.services, operator.uuid, 'operator')
  const opened = await openPage(t, await openBrowser(t), app)
  await signIn(opened.page, operator)
  const made = { account: app.seed.owner.id, workspace: app.seed.id } as Made
  return { ...opened, app, operator, made }
}

async function walk(
  page: Page,
  made: Made,
  places: readonly Place[] = installationPlaces,
  find = faultsOf,
): Promise<void> {
  const faults: string[] = []
  for (const { path } of places) faults.push(...(await find(page, path('', made))))
  assert.deepEqual(faults, [])
}

suite('the installation', { skip }, () => {
  test('is found by its operator, who helps somebody in', async (t) => {
    const { page, app, operator, assertClean } = await open(t)
    await page.getByRole('link', { name: 'Installation' }).click()
    await page.getByRole('heading', { name: 'Health' }).waitFor()
    await page.getByRole('link', { name: 'Accounts' }).click()
    await button(page, 'Create account').click()
    await page.getByLabel('E-mail').fill('grace@example.com')
    await button(page, 'Create').click()
    const link = await page.getByLabel('Link', { exact: true }).textContent()
    assert.match(link ?? '', /\/console\/reset#token=link_/)
    await button(page, 'Done').click()
    await page.getByRole('searchbox').fill('grace')
    await button(page, 'Find').click()
    await page.getByRole('link', { name: 'grace@example.com' }).click()
    await button(page, 'Disable…').click()
    await button(page, 'Disable').click()
    await page.getByText('disabled', { exact: true }).first().waitFor()

    await page.getByRole('link', { name: 'Mail' }).click()
    await page.getByTitle('Send again to lost@example.com').click()
    await page.getByText('It is being sent').waitFor()

    await page.getByRole('link', { name: 'Audit log' }).click()
    await button(page, 'Verify').click()
    await page.getByText(/The chain is whole/).waitFor()
    assertClean()

    await setInstallationRole(app.services, operator.uuid, null)
    await page.goto('/console/installation/accounts')
    await page.getByText('Not for your role').waitFor()
    assert.equal(await page.getByRole('link', { name: 'Installation' }).count(), 0)
  })

  test('has pages without faults, in both widths and languages', async (t) => {
    const { page, made, assertClean } = await open(t)
    await walk(page, made)
    await page.evaluate("localStorage.setItem('mooring-language', 'de')")
    await walk(page, made, installationPlaces, germanFaultsOf)
    assertClean()
  })

  test('has pages that say what failed', async (t) => {
    const { page, made, assertClean } = await open(t)
    await page.route(/\/console\/api\/installation\//, (route) => route.fulfill(failure))
    // Lists fail in one way.
    const others = /installation(?:|\/accounts|\/brokers|\/audit|\/settings|.*\/\$\w+)$/
    const places = installationPlaces.filter(({ route }) => others.test(route))
    await walk(page, made, places)
    assertClean()
  })
})
