/**
 * A technician finds a device that is offline, reads why, and rotates its credentials: on a phone,
 * and with the keyboard alone.
 */
import assert from 'node:assert/strict'
import { suite, test, type TestContext } from 'node:test'
import type { BrowserContextOptions, Locator, Page } from 'playwright-core'
import type { CreatedDevice, ProvisionedDevice } from '../../../sdk/schema.ts'
import { assertAccessible, skip } from '../../support/browser.ts'
import { openAsOwner, type OwnerPage } from '../../support/console-page.ts'
import { press } from '../../support/keyboard.ts'
import { connectDevice, tryConnect } from '../../support/mqtt.ts'

/** How somebody uses a page. */
interface Hands {
  window: BrowserContextOptions
  search: (page: Page, text: string) => Promise<void>
  choose: (page: Page, target: Locator) => Promise<void>
}

const thumb: Hands = {
  window: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
  async search(page, text) {
    await page.getByRole('button', { name: 'Search or jump to' }).tap()
    await page.getByRole('combobox').fill(text)
  },
  choose: (_page, target) => target.tap(),
}

const keys: Hands = {
  window: { viewport: { width: 1440, height: 900 } },
  async search(page, text) {
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').and(page.locator(':focus')).waitFor()
    await page.keyboard.type(text)
  },
  choose: (page, target) => press(page, target),
}

/** Nothing is wider than the window. */
async function assertFits(page: Page): Promise<void> {
  const shown = Number(await page.evaluate('document.documentElement.clientWidth'))
  const needed = Number(await page.evaluate('document.documentElement.scrollWidth'))
  assert.equal(needed, shown, 'nothing has to be scrolled sideways')
  assert.equal(needed, page.viewportSize()?.width)
}

/** The device as its firmware acts: it asks whether a rotation is due, and fetches credentials. */
function firmware({ call }: OwnerPage, token: string) {
  const headers = { authorization: `Bearer ${token}` }
  return {
    isDue: async () => (await call('GET', '/devices/auth/me', { headers })).body.rotation_due,
    async rotate() {
      const fetched = await call('POST', '/devices/auth/credentials/rotate', { headers })
      assert.equal(fetched.status, 200, fetched.text)
      return fetched.body as ProvisionedDevice
    },
  }
}

async function findAndRotate(t: TestContext, { window, search, choose }: Hands): Promise<void> {
  const opened = await openAsOwner(t, '', {}, window)
  const { page, make, assertClean } = opened
  const made = (await make('devices', { device_key: 'lamp-17' })) as unknown as CreatedDevice
  await make('devices', { device_key: 'lamp-18' })
  const { mqtt_password, mqtt_port } = made.mqtt_credentials
  const old = { device_id: made.id, mqtt_password, mqtt_port }
  await tryConnect(t, { ...old, mqtt_password: 'mqp_wrong' })
  const said = (text: string): Promise<void> => page.getByText(text).waitFor()
  const button = (name: string): Locator => page.getByRole('button', { name, exact: true })
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  await assertFits(page)

  await search(page, 'lamp-17')
  await page.getByRole('option', { name: 'lamp-17' }).waitFor()
  await assertFits(page)
  await page.keyboard.press('Enter')
  await said('Its last attempt was refused: wrong password.')
  await assertFits(page)

  await choose(page, button('Rotate credentials…'))
  const dialog = page.getByRole('dialog', { name: 'Rotate the credentials of lamp-17?' })
  await dialog.getByText('The old ones work until it has used the new ones.').waitFor()
  await assertAccessible(page)
  await assertFits(page)
  await choose(page, dialog.getByRole('button', { name: 'Rotate' }))
  await said('It is offline, and is asked to fetch new credentials when it connects.')
  await assertFits(page)

  const before = firmware(opened, made.device_http_token)
  assert.equal(await before.isDue(), true)
  const fetched = await before.rotate()
  await said('It has fetched new credentials.')
  await connectDevice(t, fetched)
  await page.getByText(/^Rotation done at .+\.$/).waitFor()
  await said('Connected since')
  await assertFits(page)
  await assertAccessible(page)

  assert.equal(await firmware(opened, fetched.device_http_token).isDue(), false)
  assert.notEqual((await tryConnect(t, old)).code, 0, 'the old password has ended')
  await choose(page, page.getByRole('link', { name: 'Open the job' }))
  await page.getByRole('heading', { name: 'Ask for rotation' }).waitFor()
  await assertFits(page)
  await assertAccessible(page)
  assertClean()
}

suite('a technician finds a device, reads why it is offline, and rotates', { skip }, () => {
  test('on a phone', (t) => findAndRotate(t, thumb))
  test('with the keyboard alone', (t) => findAndRotate(t, keys))
})
