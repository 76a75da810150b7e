/** Events and webhooks in the browser: events as they come, and the deliveries. */
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Page } from 'playwright-core'
import { Webhook } from 'standardwebhooks'
import { assertAccessible, skip } from '../../support/browser.ts'
import { openAsOwner } from '../../support/console-page.ts'
import { freePort } from '../../support/free-port.ts'
import { until } from '../../support/until.ts'
import { type Received, startReceiver, toReceivers } from '../../support/webhook-receiver.ts'

const KEYS = ['lamp-1', 'lamp-2', 'lamp-3']
const RESPONSE = 'Closed for <b>maintenance</b>'

const verified = (secret: string, { body, headers }: Received): unknown =>
  new Webhook(secret).verify(body, headers as Record<string, string>)

/** Stores the secret that is shown, and says so. */
async function storedSecret(page: Page): Promise<string> {
  const dialog = page.getByRole('dialog')
  const secret = await dialog.getByLabel('MOORING_WEBHOOK_SECRET').textContent()
  await dialog.getByLabel('I have stored it').check()
  await dialog.getByRole('button', { name: 'Done' }).click()
  return secret ?? ''
}

async function create(page: Page, url: string): Promise<string> {
  await page.getByRole('button', { name: 'Create webhook' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('URL').fill('https://10.0.0.1/')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await dialog.getByText('Check what is marked.').waitFor()
  await dialog.getByLabel('URL').fill(url)
  await dialog.getByLabel('Description').fill('Billing')
  const types = dialog.getByRole('group', { name: 'Single types', exact: true })
  await dialog.getByText('Choose single types').click()
  await dialog.getByLabel('Search types').fill('removed')
  await types.getByLabel('Member removed').check()
  await types.getByLabel('Device registered').waitFor({ state: 'detached' })
  await dialog.getByRole('button', { name: 'Remove Member removed' }).click()
  await types
    .getByLabel('Member removed', { exact: false })
    .and(page.locator(':not(:checked)'))
    .waitFor()
  await dialog.getByLabel('Devices', { exact: true }).check()
  await dialog.getByRole('button', { name: 'Create' }).click()
  await dialog.getByText('It is shown this once.').waitFor()
  await assertAccessible(page)
  const secret = await storedSecret(page)
  await page.getByRole('heading', { name: 'Billing' }).waitFor()
  return secret
}

/** Looks at the newest delivery, whole. */
async function readFailure(page: Page): Promise<void> {
  await page
    .getByText(/^503 · /)
    .first()
    .waitFor()
  await page.getByRole('cell', { name: 'Device registered' }).first().waitFor()
  await page.getByRole('button', { name: 'Show delivery' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Attempt 1').waitFor()
  await dialog.getByText(RESPONSE).first().waitFor()
  await dialog.getByText('"type": "device.registered"').waitFor()
  await assertAccessible(page)
  await dialog.getByRole('button', { name: 'Close' }).last().click()
}

/** A test, a pause and its end, and a new secret next to the old one. */
async function useActions(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'Test…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Send' }).click()
  await dialog.getByText('Accepted: answered 204').waitFor()
  await dialog.getByRole('button', { name: 'Close' }).last().click()
  await page.getByRole('button', { name: 'Pause' }).click()
  await page.getByText('Nothing is sent: Somebody has paused it.').waitFor()
  await page.getByRole('button', { name: 'Enable' }).click()
  await page.getByText('enabled', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'New secret…' }).click()
  await dialog.getByRole('button', { name: 'Create a new secret' }).click()
  await dialog.getByText('It is shown this once.').waitFor()
  return storedSecret(page)
}

/** Its program has ended: nobody listens there, until it is started again. */
async function loseReceiver(
  page: Page,
  { got, goAway, comeBack }: Awaited<ReturnType<typeof startReceiver>>,
  happen: () => Promise<unknown>,
): Promise<void> {
  const before = got.length
  await goAway()
  await happen()
  const row = page.getByRole('row').filter({ hasText: 'lamp-5' })
  await row.getByText('it could not be reached').waitFor()
  await comeBack()
  await row.getByRole('button', { name: 'Redeliver' }).click()
  await until('what could not be delivered', () => got.length > before)
  await row.getByText('delivered', { exact: true }).waitFor()
}

suite('events and webhooks in the browser', { skip }, () => {
  test('a webhook that was down shows its attempts, and one and then a range are redelivered', async (t) => {
    let isDown = true
    const respond = () => (isDown ? { status: 503, body: RESPONSE } : 204)
    const receiver = await startReceiver(t, respond, await freePort())
    const { page, make, assertClean } = await openAsOwner(t, 'webhooks', toReceivers)
    await page.getByRole('heading', { name: 'No webhooks yet' }).waitFor()
    const secret = await create(page, receiver.url)
    await page.getByRole('heading', { name: 'Nothing was sent yet' }).waitFor()
    for (const device_key of KEYS) await make('devices', { device_key })
    await readFailure(page)
    await page.getByRole('link', { name: 'Waiting' }).click()
    await page.getByText('waiting', { exact: true }).nth(2).waitFor()
    isDown = false
    const failed = receiver.got.length
    const accepted = () =>
      receiver.got.slice(failed).filter(({ type }) => type === 'device.registered')
    await page.getByRole('button', { name: 'Redeliver', exact: false }).nth(1).click()
    await until('one is redelivered', () => accepted().length > 0)
    await page.getByRole('link', { name: 'Delivered' }).click()
    await page.getByText('delivered', { exact: true }).first().waitFor()
    await page.getByRole('button', { name: 'Redeliver a range…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Nothing to redeliver in this range. Waiting').waitFor()
    const act = dialog.getByRole('button', { name: 'Redeliver' })
    assert.equal(await act.getAttribute('aria-disabled'), 'true')
    await dialog.getByLabel('Every event').check()
    await dialog.getByText(/^\d+ events are sent again/).waitFor()
    await assertAccessible(page)
    await dialog.getByRole('button', { name: /^Redeliver \d+ events$/ }).click()
    // Only the range sends an event again that was accepted before.
    await until('the range is redelivered', () => {
      const { size } = new Set(accepted().map(({ id }) => id))
      return size === KEYS.length && accepted().length > size
    })
    for (const each of accepted()) verified(secret, each)
    await page.getByText('delivered', { exact: true }).nth(KEYS.length).waitFor()
    const next = await useActions(page)
    assert.notEqual(next, secret)
    const before = receiver.got.length
    await make('devices', { device_key: 'lamp-4' })
    await until('an event signed by both', () => receiver.got.length > before)
    const last = receiver.got.at(-1) as Received
    for (const each of [secret, next]) verified(each, last)
    const parts = page.getByRole('navigation', { name: 'Parts of the webhook' })
    await parts.getByRole('link', { name: 'Settings' }).click()
    await page.getByLabel('Description').fill('Accounts')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Accounts' }).waitFor()
    await parts.getByRole('link', { name: 'Deliveries' }).click()
    await loseReceiver(page, receiver, () => make('devices', { device_key: 'lamp-5' }))
    assertClean()
  })

  test('a receiver that has never accepted anything is not said to have stopped', async (t) => {
    const headers = { 'retry-after': '120' }
    const receiver = await startReceiver(t, () => ({ status: 503, headers }), await freePort())
    const { page, make, assertClean } = await openAsOwner(t, 'webhooks', toReceivers)
    const { id } = await make('webhooks', { url: receiver.url, types: ['device.*'] })
    await page.goto(`/console/w/acme/webhooks/${String(id)}`)
    await make('devices', { device_key: 'lamp-1' })
    const note = page.getByText(/^No attempt since .+ has succeeded\./)
    await page.getByText('The receiver answers 503').waitFor()
    await page.getByText('Next attempt:').waitFor()
    assert.doesNotMatch((await note.textContent()) ?? '', /It accepted the last one/)
    await page.getByRole('link', { name: 'Settings' }).last().click()
    await page.getByText('The receiver answers 503').waitFor()
    await page.getByRole('link', { name: 'See the deliveries' }).click()
    await note.waitFor()
    await assertAccessible(page)
    await page.getByRole('link', { name: 'See the last attempt' }).click()
    await page.getByRole('dialog', { name: 'Delivery' }).getByText('503').first().waitFor()
    await page.keyboard.press('Escape')
    const before = receiver.got.length
    await page.getByRole('button', { name: 'Try now' }).click()
    await until('another attempt', () => receiver.got.length > before)
    assertClean()
  })

  test('events appear as they come, of the kinds that one asks for', async (t) => {
    const { page, make, assertClean } = await openAsOwner(t, 'events')
    await page.getByText('Watching').waitFor()
    await page.getByRole('cell', { name: 'workspace.created', exact: true }).waitFor()
    const device = await make('devices', { device_key: 'lamp-1' })
    await page.getByRole('cell', { name: 'device.registered', exact: true }).waitFor()
    await page.getByRole('button', { name: 'Filter…' }).click()
    await page.getByLabel('Groups').check()
    await assertAccessible(page)
    await page.getByRole('button', { name: 'Show events' }).click()
    await page.getByRole('heading', { name: 'No such event yet' }).waitFor()
    await page.getByRole('button', { name: 'Download', disabled: true }).waitFor()
    await make('device-groups', { name: 'Hall' })
    await page.getByRole('cell', { name: 'device_group.created', exact: true }).waitFor()
    await page.getByText('Only: Groups').waitFor()
    await page.getByRole('button', { name: 'Show all' }).click()
    await page.getByRole('button', { name: 'Filter…' }).click()
    const asked = page.getByLabel('Device (optional)')
    await asked.and(page.locator(':focus')).waitFor()
    assert.equal(await page.getByLabel('Search types').isVisible(), false)
    await asked.fill('lamp-9')
    await page.getByRole('button', { name: 'Show events' }).click()
    await page.getByText('No device has this key or name.').waitFor()
    await asked.fill('lamp-1')
    assert.equal(await page.getByText('No device has this key or name.').count(), 0)
    // The key is what was typed, however many others have it as their name.
    const named = { name: 'lamp-1' }
    for (let n = 0; n < 20; n += 1) await make('devices', { device_key: `copy-${n}`, ...named })
    await page.getByRole('button', { name: 'Show events' }).click()
    await page.waitForURL((url) => url.searchParams.get('device') === device.id)
    await page.getByRole('cell', { name: 'device.registered', exact: true }).waitFor()
    await assertAccessible(page)
    await page.getByRole('button', { name: /^Show device.registered/ }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText(`"device_id": "${String(device.id)}"`).waitFor()
    await assertAccessible(page)
    // Many of one type are one row, which opens.
    await page.goto('/console/w/acme/events')
    for (const n of [2, 3, 4, 5, 6]) await make('devices', { device_key: `lamp-${n}` })
    const run = page.getByRole('button', { name: 'and 24 more like it', expanded: false })
    await run.waitFor()
    const registered = page.getByRole('cell', { name: 'device.registered', exact: true })
    assert.equal(await registered.count(), 2)
    await assertAccessible(page)
    await run.click()
    await registered.nth(5).waitFor()
    assertClean()
  })
})
