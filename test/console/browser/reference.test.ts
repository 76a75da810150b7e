/** The API reference in a browser: it renders although its policy forbids inline scripts. */
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { openBrowser, openPage, skip } from '../../support/browser.ts'

test('the API reference renders, and violates no rule of its policy', { skip }, async (t) => {
  const app = await startApp(t)
  const { page, assertClean } = await openPage(t, await openBrowser(t), app)
  await page.goto('/api/v1/reference/')
  await page.getByRole('heading', { name: 'Sign in', exact: true }).waitFor()
  assertClean()
})
