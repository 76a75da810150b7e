/** Members of the seeded workspace who use the console, each in a window of their own. */
import type { TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { refreshConsole } from '../../src/commands/serve.ts'
import type { Role } from '../../src/platform/access/permissions.ts'
import { startApp, type TestApp } from './app.ts'
import { openBrowser, type OpenedPage, openPage } from './browser.ts'
import { type MovingClock, movingClock, PASSWORD, type Person, person } from './sign-in.ts'
import { statement } from './statement.ts'

const join = statement(
  'test.join_as',
  'INSERT INTO memberships (workspace_id, user_id, role) VALUES ($1, $2, $3)',
)

/** Gives somebody a role in the seeded workspace. */
export async function joinAs<Who extends Person>(app: TestApp, who: Who, role: Role): Promise<Who> {
  await app.database.query(join, [app.seed.uuid, who.uuid, role])
  return who
}

/** Somebody with a password and a role in the seeded workspace. */
export const newMember = async (app: TestApp, role: Role): Promise<Person> =>
  joinAs(app, await person(app), role)

export async function fillSignIn(page: Page, { email }: Pick<Person, 'email'>): Promise<void> {
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

export interface ConsoleApp {
  app: TestApp
  clock: MovingClock
  /** Opens a window in which the person is signed in, at a path below `/console`. */
  openAs: (who: Person, path: string) => Promise<OpenedPage>
}

export async function startConsoleApp(t: TestContext): Promise<ConsoleApp> {
  await refreshConsole()
  const clock = movingClock()
  const app = await startApp(t, { clock })
  const browser = await openBrowser(t)
  return {
    app,
    clock,
    async openAs(who, path) {
      const opened = await openPage(t, browser, app)
      await opened.page.goto(`/console${path}`)
      await fillSignIn(opened.page, who)
      return opened
    },
  }
}
