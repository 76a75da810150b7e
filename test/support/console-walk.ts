/** Looks at a page of the console: whether it is accessible, and as wide as its window. */
import type { Page } from 'playwright-core'
import { accessibilityFaults } from './browser.ts'

const WIDTHS = [1440, 390]

/** Waits until the page shows what it has to show. */
async function settle(page: Page): Promise<void> {
  await page.locator('h1').first().waitFor()
  const loading = page.getByRole('status', { name: 'Loading' })
  await loading.first().waitFor({ state: 'detached' })
}

/** What is wrong with a page, wide and narrow. */
export async function faultsOf(page: Page, path: string): Promise<string[]> {
  const faults: string[] = []
  await page.setViewportSize({ width: WIDTHS[0] as number, height: 900 })
  await page.goto(`/console${path}`)
  const isSettled = await settle(page).then(
    () => true,
    () => false,
  )
  if (!isSettled) faults.push(`${path} shows nothing`)
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 })
    const found = await accessibilityFaults(page)
    faults.push(...found.map((fault) => `${width} px: ${fault}`))
    const present = Number(await page.evaluate('document.documentElement.scrollWidth'))
    if (present > width) faults.push(`${path} is ${present} px wide in ${width} px`)
  }
  return faults
}

/** What a read answers that has met a defect. It is not tried again. */
export const failure = {
  status: 500,
  contentType: 'application/problem+json',
  body: JSON.stringify({
    type: '/api/v1/errors/internal_error',
    title: 'Internal error',
    status: 500,
    code: 'internal_error',
    detail: 'Something went wrong. The trace id helps to find it in the log.',
    trace_id: '4bf92f3577b34da6a3ce929d0e0e4736',
  }),
}
