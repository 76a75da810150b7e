/** An operator has a broker examined by its page; the service does it as `mooring doctor` does. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { generateSync } from 'otplib'
import type { Page } from 'playwright-core'
import { callUrl } from '../../support/app.ts'
import { assertAccessible, openBrowser, openPage, skip } from '../../support/browser.ts'
import { preparedDataDir, runMooring, startService } from '../../support/service.ts'
import { PASSWORD } from '../../support/sign-in.ts'

/** The page says that it takes a minute or two. */
const EXAMINATION_MS = 300_000

async function signIn(page: Page, email: string, recoveryCode: string): Promise<void> {
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
  await page.goto('/console/sign-in')
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await press('Sign in')
  await press('Use a recovery code')
  await page.getByLabel('Recovery code').fill(recoveryCode)
  await press('Continue')
  await page.getByRole('heading', { name: 'Workspaces' }).waitFor()
}

/** Presses the button, and follows the examination to its end. @returns the id of the run */
async function examine(page: Page): Promise<string | undefined> {
  await page.goto('/console/installation/brokers')
  await page.getByTitle('Security check of embedded').click()
  await page.getByRole('button', { name: 'Start', exact: true }).click()
  await page.getByRole('heading', { name: 'Security check of embedded' }).waitFor()
  await page.getByText('No security hole found').waitFor({ timeout: EXAMINATION_MS })
  await page.getByText('completed', { exact: true }).waitFor()
  await assertAccessible(page)
  return page.url().split('/').at(-1)
}

test('an examination that an operator starts finds what `mooring doctor` finds', {
  skip,
}, async (t) => {
  const dataDir = await preparedDataDir(t)
  const environment = { MOORING_CONSOLE: 'on' }
  const service = await startService(t, dataDir, { environment })
  const email = 'ada@example.com'
  const options = { environment: { MOORING_DATA_DIR: dataDir }, input: `${PASSWORD}\n` }
  const args = ['accounts', 'create', '--email', email, '--operator', '--password-stdin']
  const made = await runMooring(t, args, options)
  assert.equal(made.code, 0, made.stderr)
  const body = { email, password: PASSWORD }
  const { body: session } = await service.call('POST', '/auth/login', { body })
  const headers = {
    authorization: `Bearer ${session.access_token}`,
    'sec-fetch-site': 'same-origin',
  }
  const path = '/console/api/installation/doctor-runs'
  const call = (more = '') => callUrl(`${service.origin}${path}${more}`, 'GET', { headers })
  assert.equal((await call()).body.code, 'mfa_required')
  const { secret } = (await service.call('POST', '/auth/mfa/totp', { headers })).body
  const code = generateSync({ secret })
  const enrolled = await service.call('POST', '/auth/mfa/totp/confirm', {
    headers,
    body: { code },
  })
  const opened = await openPage(t, await openBrowser(t), service)
  const { page } = opened
  // The authenticator's code is used up for half a minute.
  await signIn(page, email, enrolled.body.recovery_codes[0])
  const { body: run } = await call(`/${await examine(page)}`)
  assert.equal(run.status, 'completed', run.problem)
  assert.ok(run.results.length > 5)
  const probes = page.getByRole('region', { name: 'Checks' }).getByRole('row')
  const heads = 1
  assert.equal(await probes.count(), heads + run.results.length)
  for (const { title } of run.results)
    await page.getByText(title, { exact: true }).first().waitFor()
  const verdicts = run.results.map(({ verdict }: { verdict: string }) => verdict)
  assert.ok(!verdicts.includes('fail'), verdicts.join(' '))
  await page.getByRole('link', { name: 'Brokers' }).last().click()
  await page.getByRole('region', { name: 'Security checks' }).getByText('completed').waitFor()
  opened.assertClean()
  await service.stop()
})
