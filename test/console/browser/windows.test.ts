/** What a journey notices of pages that are opened by the one that it looks at. */
import { test } from 'node:test'
import { openBrowser, openPage, skip } from '../../support/browser.ts'
import { until } from '../../support/until.ts'

/** What the check fails with, or nothing. */
function failureOf(check: () => void): string {
  try {
    check()
    return ''
  } catch (error) {
    return String(error)
  }
}

test('what goes wrong in another page of the window fails the journey', { skip }, async (t) => {
  const origin = 'http://127.0.0.1:9'
  const { page, assertClean } = await openPage(t, await openBrowser(t), { origin })
  const opened = page.waitForEvent('popup')
  await page.evaluate("void open('about:blank')")
  const other = await opened
  assertClean()
  await other.evaluate("console.error('said there')")
  await other.evaluate("void setTimeout(() => { throw new Error('thrown there') })")
  await other.evaluate("fetch('http://127.0.0.2:9/').catch(() => {})")
  const faults = ['console: said there', 'error: thrown there', 'foreign: http://127.0.0.2:9/']
  for (const fault of faults) {
    await until(fault, () => failureOf(assertClean).includes(fault))
  }
})
