/** A claim is released by staff, from the page of its device and from the list of claims. */
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { assertAccessible, skip } from '../../support/browser.ts'
import { newMember, startConsoleApp } from '../../support/console-people.ts'
import { newDevice, newPhone, openClaim } from '../../support/phones-and-devices.ts'

suite('claims, in the browser', { skip }, () => {
  test('a claimed device is released, and no phone has it any more', async (t) => {
    const { app, openAs } = await startConsoleApp(t)
    const [phone, device] = [await newPhone(app), await newDevice(app)]
    const bound = await device.bind((await openClaim(app, phone)).code)
    assert.equal(bound.status, 200, bound.text)
    const member = await newMember(app, 'member')
    const path = `/w/${app.seed.slug}/devices/${device.id}`
    const { page, assertClean } = await openAs(member, path)
    const dialog = page.getByRole('dialog')
    await page.getByText('Claimed', { exact: true }).waitFor()
    await page.goto(`/console${path}?act=remove`)
    await dialog.getByText(/^phone …\w{6}, which loses the device$/).waitFor()
    await dialog.getByText('decommission it instead').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Release…' }).click()
    await dialog.getByText('is asked to rotate its credentials').waitFor()
    await assertAccessible(page)
    await dialog.getByRole('button', { name: 'Release' }).click()
    const receipt = page.getByRole('dialog', { name: 'Receipt' })
    await receipt.getByText('Verified on 1 of 1 nodes').waitFor()
    await assertAccessible(page)
    await receipt.getByRole('button', { name: 'Close' }).last().click()
    await page.getByText('nobody', { exact: true }).waitFor()
    await page.getByText('Claimed', { exact: true }).waitFor({ state: 'detached' })
    await assertAccessible(page)
    const { body } = await phone.call('GET', '/moid/devices')
    assert.deepEqual(body.items, [])
    await page.getByRole('button', { name: 'More', exact: true }).click()
    const again = page.getByRole('menuitem', { name: 'Release from its phone…' })
    assert.equal(await again.getAttribute('aria-disabled'), 'true')

    // The list of claims releases with the same receipt.
    const other = await newDevice(app)
    const second = await other.bind((await openClaim(app, phone)).code)
    assert.equal(second.status, 200, second.text)
    await page.goto(`/console/w/${app.seed.slug}/claims`)
    await page.setViewportSize({ width: 390, height: 844 })
    const place = await page.getByRole('button', { name: 'Release…' }).boundingBox()
    assert.ok((place?.x ?? 0) + (place?.width ?? 0) > 340, 'at the end of its line')
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.getByRole('button', { name: 'Release…' }).click()
    await dialog.getByRole('button', { name: 'Release' }).click()
    await receipt.getByText('Verified on 1 of 1 nodes').waitFor()
    await receipt.getByRole('button', { name: 'Close' }).last().click()
    await page.getByRole('heading', { name: 'No phone has claimed a device' }).waitFor()
    assertClean()
  })
})
