/** The console as an operator of the installation sees it: signed in, with a second factor. */
import type { TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { refreshConsole } from '../../src/commands/serve.ts'
import { setInstallationRole } from '../../src/features/identity/accounts/account.ts'
import type { Environment } from '../../src/platform/config/config.ts'
import { startApp, type TestApp } from './app.ts'
import { openBrowser, type OpenedPage, openPage } from './browser.ts'
import { codeOf, type Enrolled, enrolled, movingClock, PASSWORD } from './sign-in.ts'

export interface OperatorPage extends OpenedPage {
  app: TestApp
  operator: Enrolled
}

async function signIn(page: Page, { email }: Enrolled, code: string): Promise<void> {
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  await page.goto('/console/sign-in')
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await button('Sign in').click()
  await page.getByLabel('Code').fill(code)
  await button('Continue').click()
  await page.getByRole('heading', { name: 'Workspaces' }).waitFor()
}

interface OperatorOptions {
  environment?: Environment
  /** Writes what there is to see, before anything is looked at. */
  fill?: (app: TestApp) => Promise<void>
}

export async function openAsOperator(
  t: TestContext,
  { environment = {}, fill }: OperatorOptions = {},
): Promise<OperatorPage> {
  await refreshConsole()
  const clock = movingClock()
  const app = await startApp(t, { clock, environment })
  await fill?.(app)
  const operator = await enrolled(app, clock)
  await setInstallationRole(app.services, operator.uuid, 'operator')
  const opened = await openPage(t, await openBrowser(t), app)
  await signIn(opened.page, operator, codeOf(operator.secret, clock))
  return { ...opened, app, operator }
}
