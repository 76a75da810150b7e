/** The pane shows the next call, and is usable while a dialog is open. */
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { assertAccessible, skip } from '../../support/browser.ts'
import { registerDevice, sendCommand, staff } from '../../support/commands.ts'
import { newMember, startConsoleApp } from '../../support/console-people.ts'
import { signIn } from '../../support/sign-in.ts'

suite('calls in the browser', { skip }, () => {
  test('the pane follows the form, the dialog, and the button under the pointer', async (t) => {
    const { app, openAs } = await startConsoleApp(t)
    const device = await registerDevice(app)
    await sendCommand(app, device)
    const place = `/workspaces/${app.seed.id}/devices/${device.device_id}`
    const body = { text: 'It hangs in the hall.' }
    const made = await app.call('POST', `${place}/notes`, { as: staff(app), body })
    assert.equal(made.status, 201, made.text)
    const member = await newMember(app, 'member')
    const path = `/w/${app.seed.slug}/devices/${device.device_id}`
    const { page, assertClean } = await openAs(member, path)
    const tab = (name: string) =>
      page.getByRole('main').getByRole('link', { name, exact: true }).click()
    await tab('Notes')
    await page.getByRole('button', { name: 'API', exact: true }).click()
    const pane = page.getByRole('complementary', { name: 'API calls of this page' })
    await page.getByLabel('Note', { exact: true }).fill('Ask Grace first.')
    await pane.getByLabel('createDeviceNote as curl').getByText('Ask Grace first.').waitFor()

    // A dialog shows its own call instead, and the pane can be used meanwhile.
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Delete this note?' })
    await pane.getByLabel('deleteDeviceNote as curl').waitFor()
    assert.equal(await pane.getByLabel('createDeviceNote as curl').count(), 0)
    await pane.getByRole('button', { name: 'Python', exact: true }).click()
    await pane.getByLabel('deleteDeviceNote as Python').waitFor()
    await assertAccessible(page)
    await page.setViewportSize({ width: 390, height: 844 })
    await pane.getByRole('button', { name: 'TypeScript', exact: true }).click()
    await pane.getByLabel('deleteDeviceNote as TypeScript').waitFor()
    await assertAccessible(page)
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.setViewportSize({ width: 1440, height: 900 })
    // The form of the page is shown again, without another letter.
    const note = pane.getByLabel('createDeviceNote as TypeScript')
    await note.getByText('Ask Grace first.').waitFor()

    await tab('Commands')
    const cancel = page.getByRole('row', { name: /reboot/ }).getByRole('button', { name: 'Cancel' })
    await cancel.hover()
    await pane.getByLabel('cancelCommand as TypeScript').waitFor()
    await page.getByRole('heading', { level: 1 }).hover()
    await pane.getByLabel('createCommand as TypeScript').waitFor()
    await cancel.click()
    await page.getByRole('cell', { name: /^cancelled/ }).waitFor()
    // The button is gone, from under a pointer that has not moved.
    await pane.getByLabel('createCommand as TypeScript').waitFor()
    assertClean()
  })

  test('the pane shows what the button would do now, not when it got the focus', async (t) => {
    const { app, openAs } = await startConsoleApp(t)
    const url = 'https://hooks.example.com/mooring'
    const place = `/workspaces/${app.seed.id}/webhooks`
    const made = await app.call('POST', place, { as: staff(app), body: { url } })
    assert.equal(made.status, 201, made.text)
    const id = String(made.body.id)
    const member = await newMember(app, 'admin')
    const { page, assertClean } = await openAs(member, `/w/${app.seed.slug}/webhooks/${id}`)
    await page.getByRole('button', { name: 'API', exact: true }).click()
    const pane = page.getByRole('complementary', { name: 'API calls of this page' })
    const next = pane.getByLabel('updateWebhook as curl').first()
    await page.getByRole('button', { name: 'Pause', exact: true }).click()
    await page.getByRole('button', { name: 'Enable', exact: true }).waitFor()
    await next.getByText('"status": "enabled"').or(next.getByText('"status":"enabled"')).waitFor()
    await page.getByRole('heading', { level: 1 }).hover()
    // It has the focus still.
    await pane.getByRole('heading', { name: 'The next call' }).waitFor()
    assertClean()
  })

  test('a button without a form shows why its call was refused', async (t) => {
    const { app, openAs } = await startConsoleApp(t)
    const device = await registerDevice(app)
    const place = `/workspaces/${app.seed.id}/devices/${device.device_id}`
    const member = await newMember(app, 'member')
    const path = `/w/${app.seed.slug}/devices/${device.device_id}?act=reject`
    const { page, assertClean } = await openAs(member, path)
    const dialog = page.getByRole('dialog')
    await dialog.waitFor()
    const ended = await app.call('POST', `${place}/decommission`, { as: staff(app) })
    assert.equal(ended.status, 200, ended.text)
    await dialog.getByRole('button', { name: 'Reject', exact: true }).click()
    await page.getByRole('alert').getByText('invalid_transition').waitFor()

    // Another browser, whose session this one ends.
    await signIn(app, member)
    await page.goto('/console/account/sessions')
    const end = page.locator('main').getByRole('button', { name: 'End the session of' })
    const other = end.and(page.locator(':not([aria-disabled="true"])'))
    await other.waitFor()
    await page.context().setOffline(true)
    await other.click()
    await page.getByRole('alert').getByText('The service did not answer.').waitFor()
    await page.context().setOffline(false)
    await other.click()
    await other.waitFor({ state: 'detached' })
    assertClean()
  })
})
