/** Acts whose form or dialog misses what it shows: none is done on what is not known. */
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { skip } from '../../support/browser.ts'
import { openAsOwner } from '../../support/console-page.ts'
import { newMember, startConsoleApp } from '../../support/console-people.ts'
import { failure } from '../../support/console-walk.ts'

const LAMP = { model_key: 'lamp', name: 'Lamp', serial_format: 'L-%#f' }

/** Reads that fail, wait for a response, or succeed again. */
async function unread(page: Page, which: RegExp) {
  let isFailing = true
  let wait = Promise.withResolvers<void>()
  wait.resolve()
  await page.route(which, async (route) => {
    await wait.promise
    await (isFailing ? route.fulfill(failure) : route.fallback())
  })
  const answer = (fails: boolean) => (): void => {
    isFailing = fails
    wait.resolve()
  }
  const hold = (): void => {
    wait = Promise.withResolvers<void>()
  }
  return { fail: answer(true), hold, recover: answer(false) }
}

const isOff = async (button: Locator): Promise<boolean> =>
  (await button.getAttribute('aria-disabled')) === 'true'

/** Tries again, unless the page has done so by itself. */
const tryAgain = (place: Page | Locator): Promise<unknown> =>
  place
    .getByRole('button', { name: 'Try again' })
    .first()
    .click({ timeout: 3_000 })
    .catch(() => undefined)

suite('an unknown value', { skip }, () => {
  test('stays reported while it is read again', async (t) => {
    const { page, make, assertClean } = await openAsOwner(t, 'keys')
    await make('device-groups', { name: 'Hall' })
    await page.route(/\/live(\?|$)/, (route) => route.abort())
    const groups = await unread(page, /\/device-groups\?/)
    await page.goto('/console/w/acme/groups')
    const note = page.getByRole('alert').filter({ hasText: 'Groups could not be read' })
    await note.getByText('It is tried again by itself once live updates are back.').waitFor()
    const again = note.getByRole('button', { name: 'Try again' })
    groups.hold()
    await again.click()
    assert.equal(await again.getAttribute('aria-busy'), 'true')
    assert.equal(await page.locator(':focus').innerText(), 'Try again')
    assert.ok(await page.getByRole('button', { name: 'Create group' }).isVisible())
    groups.fail()
    await note.locator('button:not([aria-busy])', { hasText: 'Try again' }).waitFor()
    assert.ok(await note.isVisible())
    groups.recover()
    await again.click()
    await page.getByRole('link', { name: 'Hall' }).waitFor()
    assert.equal(await note.count(), 0)
    assertClean()
  })

  test('is reported once by the settings, for the slug and for the fields', async (t) => {
    const { page, make, assertClean } = await openAsOwner(t, 'devices')
    await make('custom-fields', { name: 'site', type: 'string' })
    const both = await unread(page, /\/(devices\/count|custom-fields)(\?|$)/)
    await page.goto('/console/w/acme/settings')
    const note = page.getByRole('alert')
    await note.getByText('Parts of this page could not be read').waitFor()
    await page.getByText(/no devices, and their number could not be read\.$/).waitFor()
    assert.equal(await page.getByRole('button', { name: 'Try again' }).count(), 1)
    both.recover()
    await tryAgain(page)
    await page.getByRole('cell', { name: 'site' }).waitFor()
    await page.getByText('It is fixed once there is a device.').waitFor()
    assertClean()
  })

  test('hides no limit of a key', async (t) => {
    const { page, make, assertClean } = await openAsOwner(t, 'devices')
    await make('device-templates', LAMP)
    const templates = await unread(page, /\/device-templates\?/)
    await page.goto('/console/w/acme/keys')
    await page.getByRole('button', { name: 'Create key' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Templates could not be read', { exact: true }).waitFor()
    const create = dialog.getByRole('button', { name: 'Create', exact: true })
    assert.ok(await isOff(create))
    await dialog.getByLabel('Platform key').check()
    assert.ok(!(await isOff(create)))
    await dialog.getByLabel('Provision key').check()
    templates.hold()
    await tryAgain(dialog)
    assert.ok(await isOff(create))
    templates.recover()
    await dialog.getByRole('checkbox', { name: 'Lamp' }).check()
    assert.ok(!(await isOff(create)))
    assertClean()
  })

  test('blocks an act while it is not known what another person would lose', async (t) => {
    const { app, openAs } = await startConsoleApp(t)
    const owner = await newMember(app, 'owner')
    const other = await newMember(app, 'admin')
    const { page, assertClean } = await openAs(owner, `/w/${app.seed.slug}/people`)
    const logins = await unread(page, /\/mqtt\/principals\?/)
    const row = page.getByRole('row').filter({ hasText: other.email })
    const open = async (act: string): Promise<Locator> => {
      await row.getByRole('button', { name: /^More about/ }).click()
      await page.getByRole('menuitem', { name: act }).click()
      return page.getByRole('dialog')
    }
    const removing = await open('Remove…')
    await removing.getByText('MQTT logins could not be read', { exact: true }).waitFor()
    assert.ok(await isOff(removing.getByRole('button', { name: 'Remove', exact: true })))
    await removing.getByRole('button', { name: 'Cancel' }).click()
    const changing = await open('Change role…')
    await changing.getByLabel('viewer').check()
    await changing.getByText('MQTT logins could not be read', { exact: true }).waitFor()
    const change = changing.getByRole('button', { name: 'Change role' })
    assert.ok(await isOff(change))
    logins.recover()
    await tryAgain(changing)
    await changing.getByRole('group', { name: 'Keep' }).waitFor()
    assert.ok(!(await isOff(change)))
    assertClean()
  })

  test('blocks an act while it is not known what its person gives up', async (t) => {
    const { app, openAs } = await startConsoleApp(t)
    const admin = await newMember(app, 'admin')
    const { page, assertClean } = await openAs(admin, `/w/${app.seed.slug}/people`)
    const logins = await unread(page, /\/mqtt\/principals\?/)
    const row = page.getByRole('row').filter({ hasText: admin.email })
    const dialog = page.getByRole('dialog')
    await row.getByRole('button', { name: /^More about/ }).click()
    await page.getByRole('menuitem', { name: 'Change role…' }).click()
    await dialog.getByLabel('viewer').check()
    await dialog.getByText('MQTT logins could not be read', { exact: true }).waitFor()
    assert.ok(await isOff(dialog.getByRole('button', { name: 'Change role' })))
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await row.getByRole('button', { name: /^More about/ }).click()
    await page.getByRole('menuitem', { name: 'Leave…' }).click()
    await dialog.getByText('MQTT logins could not be read', { exact: true }).waitFor()
    const leave = dialog.getByRole('button', { name: 'Leave', exact: true })
    assert.ok(await isOff(leave))
    logins.recover()
    await tryAgain(dialog)
    await dialog.getByText('No live keys of yours').waitFor()
    assert.ok(!(await isOff(leave)))
    assertClean()
  })

  test('is not shown as a number of what an account has created', async (t) => {
    const { app, openAs } = await startConsoleApp(t)
    const admin = await newMember(app, 'admin')
    const { page, assertClean } = await openAs(admin, '/account')
    const keys = await unread(page, /\/api-keys\?/)
    const dialog = page.getByRole('dialog')
    const number = (text: string) =>
      dialog
        .getByText('API keys revoked permanently')
        .locator('..')
        .getByText(text, { exact: true })
    await page.getByRole('button', { name: 'Delete my account…' }).click()
    await number('not known').waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    keys.recover()
    await page.getByRole('button', { name: 'Delete my account…' }).click()
    await number('0').waitFor()
    assertClean()
  })

  test('blocks the deletion of a webhook while its waiting deliveries are counted', async (t) => {
    const { page, make, assertClean } = await openAsOwner(t, 'devices')
    const webhook = await make('webhooks', { url: 'https://hooks.example.com/' })
    const waiting = await unread(page, /\/deliveries\?/)
    waiting.hold()
    await page.goto(`/console/w/acme/webhooks/${String(webhook.id)}`)
    await page.getByRole('button', { name: 'More', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Delete…' }).click()
    const dialog = page.getByRole('dialog')
    const remove = dialog.getByRole('button', { name: 'Delete', exact: true })
    await dialog.getByText('Its waiting deliveries are not counted yet.').waitFor()
    assert.ok(await isOff(remove))
    waiting.fail()
    await dialog.getByLabel('Type hooks.example.com to confirm').fill('hooks.example.com')
    assert.ok(!(await isOff(remove)))
    assertClean()
  })

  test('blocks the deletion of a workspace while its keys are not counted', async (t) => {
    const { page, assertClean } = await openAsOwner(t, 'settings')
    const keys = await unread(page, /\/api-keys\?/)
    await page.getByRole('button', { name: 'Delete the workspace…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('What would be lost could not be read', { exact: true }).waitFor()
    await dialog.getByText('not known, refused at once').waitFor()
    await dialog.getByLabel('Type acme to confirm').fill('acme')
    const remove = dialog.getByRole('button', { name: 'Delete the workspace', exact: true })
    assert.ok(await isOff(remove))
    keys.recover()
    await tryAgain(dialog)
    await dialog.getByText('0, refused at once').waitFor()
    assert.ok(!(await isOff(remove)))
    assertClean()
  })

  test('blocks the creation of a device while the templates are unread', async (t) => {
    const { page, make, assertClean } = await openAsOwner(t, 'devices')
    await make('device-templates', LAMP)
    const templates = await unread(page, /\/device-templates\?/)
    templates.hold()
    await page.goto('/console/w/acme/devices/new')
    const key = page.getByLabel('Device key')
    await key.fill('lamp-1')
    const create = page.getByRole('button', { name: 'Create device' })
    assert.ok(await isOff(create))
    assert.equal(await page.getByRole('combobox', { name: 'Template' }).count(), 0)
    templates.fail()
    await page.getByText('Templates could not be read', { exact: true }).waitFor()
    await page.getByText('A device cannot be created until they are read.').waitFor()
    assert.ok(await isOff(create))
    templates.hold()
    await tryAgain(page)
    assert.ok(await isOff(create))
    templates.recover()
    await page.getByRole('combobox', { name: 'Template' }).selectOption('Lamp (lamp)')
    assert.equal(await key.inputValue(), 'lamp-1')
    assert.ok(!(await isOff(create)))
    assertClean()
  })

  test('blocks an act while the number of things that it reaches is not known', async (t) => {
    const { page, make, assertClean } = await openAsOwner(t, 'devices')
    await make('devices', { device_key: 'lamp-1' })
    const webhook = await make('webhooks', { url: 'https://hooks.example.com/' })
    const counts = await unread(page, /\/devices\/count|dry_run=true/)
    await page.goto('/console/w/acme/rotations')
    await page.getByRole('button', { name: 'Start a rotation' }).first().click()
    const dialog = page.getByRole('dialog')
    const devices = dialog.getByText('The number of devices could not be read', { exact: true })
    await devices.waitFor()
    const start = dialog.getByRole('button', { name: 'Start', exact: true })
    assert.ok(await isOff(start))
    counts.recover()
    await tryAgain(dialog)
    await dialog.getByText('1 device will be asked', { exact: false }).waitFor()
    assert.ok(!(await isOff(start)))
    counts.hold()
    await dialog.getByRole('combobox', { name: 'Filter of devices' }).fill('status = active')
    assert.ok(await isOff(start), 'what was counted passes another filter')
    counts.fail()
    await page.goto('/console/w/acme/groups')
    await page.getByRole('button', { name: 'Create group' }).first().click()
    await dialog.getByLabel('By filter').check()
    await dialog.getByRole('combobox', { name: 'Filter' }).fill('status = active')
    await devices.waitFor()
    await page.goto(`/console/w/acme/webhooks/${String(webhook.id)}`)
    await page.getByRole('button', { name: 'Redeliver a range…' }).click()
    await dialog.getByText('The number of events could not be read', { exact: true }).waitFor()
    counts.recover()
    await tryAgain(dialog)
    const note = dialog.getByText('Nothing to redeliver in this range. Waiting')
    await note.waitFor()
    const redeliver = dialog.getByRole('button', { name: /^Redeliver/ })
    assert.ok(await isOff(redeliver))
    counts.hold()
    await dialog.getByLabel('Every event').check()
    assert.ok(!(await isOff(redeliver)), 'nothing was in another range')
    counts.recover()
    await dialog.getByRole('button', { name: /^Redeliver \d+ events?$/ }).waitFor()
    counts.hold()
    const types = dialog.getByLabel('Groups')
    await types.check()
    assert.equal(await redeliver.innerText(), 'Redeliver')
    counts.recover()
    await note.waitFor()
    assertClean()
  })

  test('is read again without a press, or by a press where the service refuses it', async (t) => {
    const { page, assertClean } = await openAsOwner(t, 'keys')
    const refusal = {
      status: 400,
      contentType: 'application/problem+json',
      body: failure.body.replace('"status":500', '"status":400'),
    }
    let response = failure
    await page.route(/\/events\?newest|\/mqtt\/messages\?/, (route) => route.fulfill(response))
    await page.goto('/console/w/acme/events')
    await page
      .getByRole('alert')
      .getByText('It is tried again by itself.', { exact: false })
      .waitFor()
    await page.goto('/console/w/acme/messages?topic=acme/%23')
    await page
      .getByRole('alert')
      .getByText('Messages published now are missed. It is tried again by itself.')
      .waitFor()
    response = refusal
    await page.getByRole('alert').getByRole('button', { name: 'Try again' }).waitFor()
    await page.unrouteAll()
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('Watching', { exact: true }).waitFor()
    assertClean()
  })
})
