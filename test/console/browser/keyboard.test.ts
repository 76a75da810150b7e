/** The main journeys with the keyboard alone: no pointer is used after the page has opened. */
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Locator } from 'playwright-core'
import { openBrowser, openPage, skip, startConsole } from '../../support/browser.ts'
import { openAsOwner } from '../../support/console-page.ts'
import { press, tabTo, type } from '../../support/keyboard.ts'

suite('with the keyboard alone', { skip }, () => {
  test('somebody signs in, and opens a workspace', async (t) => {
    const password = 'correct horse battery staple 9'
    const environment = {
      MOORING_BOOTSTRAP_EMAIL: 'ada@example.com',
      MOORING_BOOTSTRAP_PASSWORD: password,
      MOORING_BOOTSTRAP_WORKSPACE: 'acme',
    }
    const service = await startConsole(t, { environment })
    const { page, assertClean } = await openPage(t, await openBrowser(t), service)
    await page.goto('/console/')
    await type(page, page.getByLabel('E-mail'), 'ada@example.com')
    await type(page, page.getByLabel('Password', { exact: true }), password)
    await page.keyboard.press('Enter')
    await press(page, page.getByRole('link', { name: 'acme' }))
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await page.keyboard.press('g')
    await page.keyboard.press('d')
    await page.getByRole('heading', { name: 'Devices', exact: true }).waitFor()
    assertClean()
  })

  test('a device is made, and its code is shown', async (t) => {
    const { page, assertClean } = await openAsOwner(t, 'devices/new')
    await type(page, page.getByLabel('Key'), 'lamp-1')
    await press(page, page.getByRole('button', { name: 'Create device' }))
    await press(page, page.getByLabel('I have stored them'), 'Space')
    await press(page, page.getByRole('button', { name: 'Show me code' }))
    await press(page, page.getByRole('button', { name: 'Python', exact: true }))
    await page.getByLabel('Code for Python').waitFor()
    assertClean()
  })

  test('a device is found by its filter, and suspended', async (t) => {
    const { page, make, assertClean } = await openAsOwner(t, 'devices')
    await make('devices', { device_key: 'lamp-1' })
    await make('devices', { device_key: 'lamp-2' })
    await page.reload()
    await tabTo(page, page.getByRole('combobox', { name: 'Filter of devices' }))
    await page.keyboard.type('device_key = "lamp-2"')
    await page.keyboard.press('Escape')
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'lamp-1' }).waitFor({ state: 'detached' })
    await press(page, page.getByRole('link', { name: 'lamp-2' }))
    const suspend = page.getByRole('button', { name: 'Suspend' })
    const dialog = page.getByRole('dialog', { name: 'Suspend lamp-2?' })
    const focused = page.locator(':focus')
    await press(page, suspend)
    await dialog.getByRole('button', { name: 'Cancel' }).and(focused).waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await suspend.and(focused).waitFor()
    await press(page, suspend)
    await press(page, dialog.getByRole('button', { name: 'Suspend' }))
    const receipt = page.getByRole('dialog', { name: 'Receipt' })
    await receipt.and(focused).waitFor()
    await page.keyboard.press('Escape')
    await receipt.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Resume' }).waitFor()
    assertClean()
  })

  test('rows are reached, selected and left for the filter with letters', async (t) => {
    const { page, make, assertClean } = await openAsOwner(t, 'devices')
    await make('devices', { device_key: 'lamp-1' })
    await make('devices', { device_key: 'lamp-2' })
    await page.reload()
    const [first, second] = [page.locator('tbody tr').nth(0), page.locator('tbody tr').nth(1)]
    await second.getByRole('link').waitFor()
    const hasFocus = async (target: Locator): Promise<boolean> =>
      (await target.and(page.locator(':focus')).count()) > 0
    await page.keyboard.press('j')
    assert.ok(await hasFocus(first.getByRole('link')), 'j begins with the first row')
    for (const key of ['j', 'j']) await page.keyboard.press(key)
    assert.ok(await hasFocus(second.getByRole('link')), 'j ends with the last row')
    await page.keyboard.press('x')
    assert.deepEqual(
      [
        await first.getByRole('checkbox').isChecked(),
        await second.getByRole('checkbox').isChecked(),
      ],
      [false, true],
    )
    await page.keyboard.press('k')
    assert.ok(await hasFocus(first.getByRole('link')), 'k goes back')
    await page.keyboard.press('/')
    const filter = page.getByRole('combobox', { name: 'Filter of devices' })
    assert.ok(await hasFocus(filter), 'the slash leads to the filter')
    await page.keyboard.type('jx')
    assert.equal(await filter.textContent(), 'jx')
    await page.goto('/console/w/acme/settings')
    const name = page.getByLabel('Name', { exact: true })
    await name.waitFor()
    await page.keyboard.press('e')
    assert.ok(await hasFocus(name), 'e leads to the first field')
    assertClean()
  })

  test('the list of keys names each, and nothing behind it moves', async (t) => {
    const { page, make, assertClean } = await openAsOwner(t, 'devices')
    await make('devices', { device_key: 'lamp-1' })
    await page.reload()
    await page.getByRole('link', { name: 'lamp-1' }).waitFor()
    await page.keyboard.press('?')
    const dialog = page.getByRole('dialog', { name: 'Keys' })
    await dialog.waitFor()
    const keys = await dialog.locator('dt').allTextContents()
    assert.deepEqual(keys.filter((key) => key.length === 1).toSorted(), [
      '/',
      '?',
      'e',
      'j',
      'k',
      'x',
    ])
    await page.keyboard.press('j')
    assert.equal(
      await page.locator('[role="dialog"]:has(:focus), [role="dialog"]:focus').count(),
      1,
    )
    await dialog.getByRole('checkbox').press('Space')
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await page.keyboard.press('j')
    assert.equal(await page.locator('tbody :focus').count(), 0)
    assertClean()
  })

  test('a key is made and stored, and a colleague is invited', async (t) => {
    const { page, assertClean } = await openAsOwner(t, 'keys')
    const dialog = page.getByRole('dialog')
    await press(page, page.getByRole('button', { name: 'Create key' }).first())
    await tabTo(page, dialog.getByLabel('Name'))
    await page.keyboard.type('Line 1')
    await press(page, dialog.getByRole('button', { name: 'Create', exact: true }))
    await press(page, dialog.getByLabel('I have stored it'), 'Space')
    await press(page, dialog.getByRole('button', { name: 'Done' }))
    await dialog.waitFor({ state: 'detached' })
    await page.keyboard.press('Control+k')
    await dialog.waitFor()
    await page.keyboard.type('people')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'People', exact: true }).waitFor()
    await press(page, page.getByRole('button', { name: 'Invite' }))
    await tabTo(page, dialog.getByLabel('E-mail'))
    await page.keyboard.type('grace@example.com')
    await press(page, dialog.getByRole('button', { name: 'Invite' }))
    await press(page, dialog.getByRole('button', { name: 'Done' }))
    await page.getByRole('cell', { name: 'grace@example.com', exact: true }).waitFor()
    assertClean()
  })

  test('a template is made, and given a rule', async (t) => {
    const { page, assertClean } = await openAsOwner(t, 'templates')
    const dialog = page.getByRole('dialog')
    await press(page, page.getByRole('button', { name: 'Create template' }).first())
    for (const [label, text] of [
      ['Name', 'Lamp'],
      ['Model key', 'lamp'],
      ['Format of device keys', 'LAMP-%#f'],
    ] as const) {
      await tabTo(page, dialog.getByLabel(label))
      await page.keyboard.press('Control+a')
      await page.keyboard.type(text)
    }
    await press(page, dialog.getByRole('button', { name: 'Create' }))
    await press(page, page.getByRole('main').getByRole('link', { name: 'Rules' }))
    await press(page, page.getByRole('button', { name: 'Add rule' }))
    const rule = page.getByRole('group', { name: /^Rule \d+$/ }).last()
    await tabTo(page, rule.getByLabel('Topic'))
    await page.keyboard.press('Control+a')
    await page.keyboard.type('{slug}/{device_key}/events')
    await press(page, page.getByRole('button', { name: 'See the effect and save…' }))
    await press(page, dialog.getByRole('button', { name: 'Save' }))
    await page.getByText('Rules saved').waitFor()
    assertClean()
  })
})
