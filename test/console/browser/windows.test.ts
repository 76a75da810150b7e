/** The pages opened by the one that a journey looks at. */
import { test } from 'node:test'
import { openBrowser, openPage, skip } from '../../support/browser.ts'
import { until } from '../../support/until.ts'

/** The failure of the check, if any. */
function failureOf(check: () => void): string {
  try {
    check()
    return ''
  } catch (error) {
    return String(error)
  }
}

test('an error in another page of the window fails the journey', { skip }, async (t) => {
  const origin = 'http://mooring.example.com'
  const { page, assertClean } = await openPage(t, await openBrowser(t), { origin })
  await page.context().route('**/*', (route) => route.fulfill({ contentType: 'text/html' }))
  await page.goto(origin)
  const opened = page.waitForEvent('popup')
  await page.evaluate("void open('/other')")
  const other = await opened
  await other.waitForLoadState()
  assertClean()
  await other.evaluate("console.error('said there')")
  await other.evaluate("void setTimeout(() => { throw new Error('thrown there') })")
  await other.evaluate("void fetch('http://other.example/', { mode: 'no-cors' }).catch(() => {})")
  for (const fault of ['console: said there', 'error: thrown there', 'foreign: http://other']) {
    await until(fault, () => failureOf(assertClean).includes(fault))
  }
})
