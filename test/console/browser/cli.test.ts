/** The command line signs in by the browser. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refreshConsole } from '../../../src/commands/serve.ts'
import { useCli } from '../../cli/run-cli.ts'
import { startApp } from '../../support/app.ts'
import { assertAccessible, openBrowser, openPage, skip } from '../../support/browser.ts'
import { PASSWORD, person } from '../../support/sign-in.ts'
import { until } from '../../support/until.ts'

test('a person signs in, compares the code and allows it', { skip }, async (t) => {
  await refreshConsole()
  const app = await startApp(t)
  const { page, assertClean } = await openPage(t, await openBrowser(t), app)
  const { email } = await person(app)
  const cli = useCli(t, { MOORING_URL: app.origin })
  const login = cli.start(['login', '--browser', '--no-open'])
  const [, code = '', url = ''] = await until(
    'what the terminal shows',
    () => /shows (\S+):\n(http\S+)\n/.exec(login.output.stderr) ?? undefined,
  )

  await page.goto(url)
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText(email).first().waitFor()
  await page.getByText(code).waitFor()
  await assertAccessible(page)
  // The request goes to the port of the program, which is foreign to the console.
  assertClean()
  await page.getByRole('button', { name: 'The codes are the same: allow' }).click()
  await page.getByText('The command line has signed in').waitFor()
  const { code: exitCode, stderr } = await login.ended
  assert.equal(exitCode, 0, stderr)
  const shown = await cli.run(['whoami', '-o', 'json'])
  assert.equal(JSON.parse(shown.stdout).email, email)

  await page.goto('/console/account/sessions')
  await page.getByText(/mooring-cli on /).waitFor()

  // An address that names another place than this computer asks nothing.
  await page.goto(url.replace(/port=\d+/, 'port=80'))
  await page.getByText('The link from the terminal is incomplete').waitFor()
  await page.getByText('This page signs in the mooring command line.').waitFor()
  await assertAccessible(page)
})
