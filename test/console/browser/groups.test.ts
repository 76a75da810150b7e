/** Groups, claims and rules in the browser. */
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Page } from 'playwright-core'
import { assertAccessible, skip } from '../../support/browser.ts'
import { openAsOwner } from '../../support/console-page.ts'
import { until } from '../../support/until.ts'

/** By the name or the key of the device, or the id of the phone, whatever became of the claim. */
async function findClaims(page: Page, phoneId: string): Promise<void> {
  const bound = page.getByRole('link', { name: 'Claimed', exact: true })
  const filter = page.getByRole('combobox', { name: 'Filter of claims' })
  const row = page.getByRole('row').filter({ hasText: 'My lamp' })
  for (const text of ['Hall', 'lamp-1', phoneId]) {
    await bound.click()
    await row.waitFor({ state: 'detached' })
    await filter.fill(text)
    await filter.press('Enter')
    await row.getByText('released').waitFor()
  }
  await filter.fill('status = open')
  await filter.press('Enter')
  await page.getByRole('heading', { name: 'No claim passes this filter' }).waitFor()
  await assertAccessible(page)
}

/** Typed words are completed, and refused ones are marked in place. */
async function tryFilter(page: Page): Promise<void> {
  const dialog = page.getByRole('dialog')
  const filter = dialog.getByRole('combobox', { name: 'Filter' })
  await filter.fill('device_key = lamp AND sta')
  await dialog.getByRole('option', { name: /^status/ }).waitFor()
  await assertAccessible(page)
  // Escape closes what is offered, not the dialog; Enter sends the form.
  await page.keyboard.press('Escape')
  await dialog.getByRole('option').first().waitFor({ state: 'detached' })
  await filter.fill('colour = red')
  await filter.press('Enter')
  await dialog.getByText('The filter cannot be read at “colour”').waitFor()
  await filter.and(page.locator('[aria-invalid="true"]:focus')).waitFor()
  await assertAccessible(page)
}

suite('groups, claims and rules in the browser', { skip }, () => {
  test('devices are added to a group by pasted keys, and a filter makes another', async (t) => {
    const { page, make, assertClean } = await openAsOwner(t, 'groups')
    await make('devices', { device_key: 'lamp-1', name: 'Stairs 2' })
    await make('devices', { device_key: 'lamp-2', name: 'Stairs 10' })
    await make('devices', { device_key: 'th-1' })
    await page.getByRole('heading', { name: 'No groups yet' }).waitFor()
    await page.getByRole('button', { name: 'Create group' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('Lamps')
    await assertAccessible(page)
    await dialog.getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByRole('heading', { name: 'No devices yet' }).waitFor()
    await page.getByRole('button', { name: 'Add by keys…' }).first().click()
    await dialog.getByLabel('Keys').fill('lamp-1, lamp-2\nlamp-9 lamp-1')
    await dialog.getByRole('button', { name: 'Add 3' }).click()
    await dialog.getByText('2 added.').waitFor()
    await dialog.getByText('lamp-9').waitFor()
    await assertAccessible(page)
    await dialog.getByRole('button', { name: 'Close' }).last().click()
    const row = page.getByRole('row').filter({ hasText: 'lamp-1' })
    await row.getByRole('link', { name: 'Stairs 2', exact: true }).waitFor()
    await page.getByText('by name', { exact: true }).waitFor()
    assert.deepEqual(await page.getByRole('row').getByRole('link').allTextContents(), [
      'Stairs 2',
      'Stairs 10',
    ])
    await row.getByRole('checkbox').check()
    await page.getByRole('button', { name: 'Remove from the group' }).click()
    await row.waitFor({ state: 'detached' })
    await page.getByRole('row').filter({ hasText: 'lamp-2' }).waitFor()
    await assertAccessible(page)

    await page.goto('/console/w/acme/groups')
    await page.getByRole('button', { name: 'Create group' }).click()
    const name = dialog.getByLabel('Name')
    await name.fill('Lamps')
    await dialog.getByRole('button', { name: 'Create', exact: true }).click()
    await name.and(page.locator('[aria-invalid="true"]:focus')).waitFor()
    await dialog.getByText('Check what is marked.').waitFor()
    await name.fill('All lamps')
    await dialog.getByText('By filter', { exact: true }).click()
    await tryFilter(page)
    await dialog.getByRole('combobox', { name: 'Filter' }).fill('device_key = "lamp-*"')
    await dialog.getByText('2 devices pass it now.').waitFor()
    await assertAccessible(page)
    await dialog.getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByRole('row').filter({ hasText: 'lamp-1' }).waitFor()
    assertClean()
  })

  test('a group that the filter of another one names is not deleted', async (t) => {
    const { page, make, assertClean } = await openAsOwner(t, 'groups')
    const { id } = await make('device-groups', { name: 'Halls' })
    await make('device-groups', { name: 'All halls', filter: `group = ${String(id)}` })
    await page.goto(`/console/w/acme/groups/${String(id)}`)
    await page.getByRole('button', { name: 'Delete…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Change the filter of All halls first.').first().waitFor()
    const confirm = dialog.getByRole('button', { name: 'Delete', exact: true })
    assert.equal(await confirm.getAttribute('aria-disabled'), 'true')
    await assertAccessible(page)
    assertClean()
  })

  test('a device is released from its phone, and its label can be printed', async (t) => {
    const { page, make, call, assertClean } = await openAsOwner(t, 'claims')
    await page.getByRole('heading', { name: 'No phone has claimed a device' }).waitFor()
    await page.getByRole('button', { name: 'Copy' }).waitFor()
    const device = await make('devices', { device_key: 'lamp-1', name: 'Hall' })
    const session = await call('POST', '/moid/session', {})
    const phone = { authorization: `Bearer ${session.body.access_token}` }
    const body = { workspace_id: device.workspace_id, name: 'My lamp' }
    const claim = await call('POST', '/moid/claims', { headers: phone, body })
    const bound = await call('POST', '/devices/auth/bind-claim', {
      headers: { authorization: `Bearer ${String(device.device_http_token)}` },
      body: { claim_code: claim.body.claim_code },
    })
    assert.equal(bound.status, 200, bound.text)
    const row = page.getByRole('row').filter({ hasText: 'My lamp' })
    await row.getByRole('link', { name: 'Hall' }).waitFor({ timeout: 30_000 })
    const { moid_id: phoneId } = session.body
    await row.getByRole('button', { name: `…${String(phoneId).slice(-6)}` }).waitFor()
    assert.equal(await page.getByRole('columnheader', { name: 'Valid until' }).count(), 0)
    await assertAccessible(page)
    const claims = page.url()
    await row.getByRole('link', { name: 'Hall' }).click()
    await page.getByText(`phone …${String(phoneId).slice(-6)}, claimed`).waitFor()
    await page.goto(claims)
    await row.getByRole('button', { name: 'Release…' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Release' }).click()
    const receipt = page.getByRole('dialog', { name: 'Receipt' })
    await receipt.getByText('Verified on 1 of 1 nodes').waitFor()
    await receipt.getByRole('button', { name: 'Close' }).last().click()
    await page.getByRole('heading', { name: 'No phone has claimed a device' }).waitFor()
    await page.getByRole('link', { name: 'Ended' }).click()
    await row.getByText('released').waitFor()
    await findClaims(page, String(phoneId))
    const back = page.getByRole('list', { name: 'Breadcrumb' })
    await page.goto('/console/w/acme/devices')
    await page.getByRole('link', { name: 'Label sheet' }).click()
    await page.getByRole('img', { name: 'QR code of lamp-1' }).waitFor()
    await back.getByRole('link', { name: 'Devices' }).waitFor()
    await assertAccessible(page)
    await page.emulateMedia({ media: 'print' })
    assert.ok(await page.getByRole('img', { name: 'QR code of lamp-1' }).isVisible())
    for (const role of ['button', 'navigation', 'banner', 'heading'] as const) {
      assert.equal(await page.getByRole(role).count(), 0, `${role} on paper`)
    }
    assertClean()
  })

  test('labels are printed once each has its code, and not while the devices are unread', async (t) => {
    const { page, make, assertClean } = await openAsOwner(t, 'devices/labels')
    const print = page.getByRole('button', { name: 'Print' })
    await page.getByRole('heading', { name: 'No devices yet' }).waitFor()
    assert.equal(await print.count(), 0, 'with nothing to print')
    for (let n = 1; n <= 40; n++) await make('devices', { device_key: `lamp-${n}` })
    const free = print.and(page.locator(':not([aria-disabled="true"])'))
    await page.reload()
    await free.waitFor()
    assert.equal(await page.getByRole('img', { name: /^QR code of lamp-/ }).count(), 40)
    await page.getByText('Device key', { exact: true }).click()
    await free.waitFor()
    assert.equal(await page.getByRole('img', { name: /^QR code of lamp-/ }).count(), 40)
    assertClean()

    await page.getByLabel('Filter').fill('colour = red')
    await page.getByRole('button', { name: 'Apply the filter' }).click()
    await print.and(page.locator('[aria-disabled="true"]')).hover()
    await page.getByText('The devices could not be read.').waitFor()
  })

  test('a check begins with a device and its own topic, and the topic follows the device', async (t) => {
    const { page, make, assertClean } = await openAsOwner(t, 'rules')
    await page.getByRole('heading', { name: 'Nobody to ask about yet' }).waitFor()
    await make('devices', { device_key: 'lamp-1' })
    await make('devices', { device_key: 'lamp-2' })
    await page.reload()
    const topic = async (): Promise<string> => page.getByLabel('Topic').inputValue()
    await until('the newest device', async () => (await topic()) === 'acme/lamp-2/state')
    assert.equal(await page.getByLabel('Client').inputValue(), 'lamp-2')
    await page.getByLabel('Client').fill('lamp-1')
    assert.equal(await topic(), 'acme/lamp-1/state')
    await page.getByRole('button', { name: 'Check', exact: true }).click()
    await page.getByText('Yes, it may.').waitFor()
    await page.getByLabel('Client').fill(' ')
    await page.getByRole('button', { name: 'Check', exact: true }).click()
    await page.getByText('Enter the key or the name of a device').waitFor()
    await page.getByLabel('Topic').fill('acme/lamp-2/state')
    await page.getByLabel('Client').fill('lamp-2')
    assert.equal(await topic(), 'acme/lamp-2/state')
    assertClean()
  })

  test('a check asks nothing before it is known whether there is anybody to ask about', async (t) => {
    const { page, make, assertClean } = await openAsOwner(t, 'rules')
    await make('devices', { device_key: 'lamp-1' })
    const read = Promise.withResolvers<void>()
    await page.route('**/devices?*', async (route) => {
      await read.promise
      await route.continue()
    })
    await page.reload()
    const form = page.locator('section', { hasText: 'Check access' })
    await form.getByRole('status', { name: 'Loading' }).waitFor()
    assert.equal(await page.getByLabel('Client').count(), 0)
    read.resolve()
    await page.getByLabel('Client').waitFor()
    assert.equal(await page.getByLabel('Client').inputValue(), 'lamp-1')
    assertClean()
  })

  test('the page names the rule that decides about a topic, for a device by its key and for a login by its name', async (t) => {
    const { page, make, assertClean } = await openAsOwner(t, 'rules')
    await make('devices', { device_key: 'lamp-1' })
    await make('mqtt/principals', { name: 'Dashboard' })
    await page.getByLabel('Client').fill('lamp-1')
    await page.getByLabel('Topic').fill('acme/lamp-1/state')
    await page.getByRole('button', { name: 'Check', exact: true }).click()
    await page.getByText('Yes, it may.').waitFor()
    await page.getByText('of the default list decides').waitFor()
    await assertAccessible(page)
    await page.getByLabel('Client').fill('Dashboard')
    await page.getByRole('button', { name: 'Check', exact: true }).click()
    await page
      .getByText(
        'No rule matches, and what no rule allows is denied. Topics of a workspace begin with its slug.',
      )
      .waitFor()
    await page.getByLabel('Client').fill('nobody')
    await page.getByRole('button', { name: 'Check', exact: true }).click()
    await page.getByText('There is no device or login of this name.').waitFor()
    await assertAccessible(page)
    assertClean()
  })
})
