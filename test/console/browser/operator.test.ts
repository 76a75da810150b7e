/** The installation, as its operators see it in the browser; and everybody else, who does not. */
import assert from 'node:assert/strict'
import { suite, test, type TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { setInstallationRole } from '../../../src/features/identity/accounts/account.ts'
import { INSTALLATION } from '../../../src/platform/record/event.ts'
import type { Environment } from '../../../src/platform/config/config.ts'
import { newUuid } from '../../../src/platform/lib/ids.ts'
import type { TestApp } from '../../support/app.ts'
import { sql } from '../../support/audit-chain.ts'
import { assertAccessible, skip } from '../../support/browser.ts'
import { openAsOperator } from '../../support/console-operator.ts'
import { HOSTILE, installationPlaces, type Made, type Place } from '../../support/console-places.ts'
import {
  fail,
  failingFaultsOf,
  faultsOf,
  germanFaultsOf,
  READS,
} from '../../support/console-walk.ts'

/** A mail server, which does not respond. */
const MAIL = {
  MOORING_SMTP_URL: 'smtp://127.0.0.1:9',
  MOORING_MAIL_FROM: 'mooring@example.com',
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

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

async function open(t: TestContext, environment: Environment = {}) {
  const opened = await openAsOperator(t, { environment, fill })
  const { seed } = opened.app
  return { ...opened, made: { account: seed.owner.id, workspace: seed.id } as Made }
}

/** A phone has a button for what helps somebody, and the rest in a menu, which says what is off. */
async function assertInMenu(page: Page): Promise<void> {
  await page.setViewportSize({ width: 390, height: 844 })
  await button(page, 'Disable…').waitFor({ state: 'detached' })
  await button(page, 'Password link…').waitFor()
  await button(page, 'More').focus()
  await page.keyboard.press('Enter')
  const menu = page.getByRole('menu')
  await menu.getByText('Your own account stays enabled.', { exact: true }).waitFor()
  await assertAccessible(page)
  await page.keyboard.press('Escape')
  await page.setViewportSize({ width: 1280, height: 720 })
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

    await page.goto(`/console/installation/accounts/${operator.id}`)
    await button(page, 'Disable…').and(page.locator('[aria-disabled=true]')).waitFor()
    const reason = page.getByText('Your own account stays enabled.')
    await reason.waitFor()
    // Touching what is off says why as well.
    await button(page, 'Disable…').click({ force: true })
    await reason.nth(1).waitFor()
    await assertInMenu(page)

    await page.getByRole('link', { name: 'Mail' }).click()
    const again = page.getByTitle('Send again to lost@example.com')
    await again.and(page.locator('[aria-disabled=true]')).waitFor()

    await page.getByRole('link', { name: 'Audit log' }).click()
    await button(page, 'Verify').click()
    await page.getByText(/The chain is intact/).waitFor()
    assertClean()

    await setInstallationRole(app.services, operator.uuid, null)
    await page.goto('/console/installation/accounts')
    await page.getByText('The installation is for its operators').waitFor()
    assert.equal(await page.getByRole('link', { name: 'Installation' }).count(), 0)
  })

  test('has pages without faults, in both widths and languages', async (t) => {
    const { page, made, assertClean } = await open(t)
    await walk(page, made)
    await page.evaluate("localStorage.setItem('mooring-language', 'de')")
    await walk(page, made, installationPlaces, germanFaultsOf)
    assertClean()
  })

  test('sends a mail again, and has pages that say what failed', async (t) => {
    const { page, made, assertClean } = await open(t, MAIL)
    await page.goto('/console/installation/mails')
    await page.getByTitle('Send again to lost@example.com').click()
    await page.getByText('It is being sent').waitFor()
    await fail(page, READS.ofInstallation)
    await walk(page, made, installationPlaces, failingFaultsOf)
    assertClean()
  })
})
