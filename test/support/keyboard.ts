/** A page by keyboard alone: elements are reached with Tab. */
import assert from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'

const MAX_STOPS = 80

/** Presses Tab until the element has the focus, which must be seen. */
export async function tabTo(page: Page, target: Locator, key = 'Tab'): Promise<void> {
  await target.waitFor()
  for (let stop = 0; stop < MAX_STOPS; stop += 1) {
    if ((await target.and(page.locator(':focus')).count()) > 0) {
      const shown = await target.and(page.locator(':focus-visible')).count()
      assert.equal(shown, 1, 'the focus is seen')
      return
    }
    await page.keyboard.press(key)
  }
  assert.fail(`${String(target)} is not reached with ${key}`)
}

/** Types into the element, which is reached with Tab. */
export async function type(page: Page, target: Locator, text: string): Promise<void> {
  await tabTo(page, target)
  await page.keyboard.type(text)
}

/** Presses a key on the element, which is reached with Tab. */
export async function press(page: Page, target: Locator, key = 'Enter'): Promise<void> {
  await tabTo(page, target)
  await page.keyboard.press(key)
}
