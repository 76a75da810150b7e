/** Acts on what is under way: a job is cancelled, a claim is ended. */
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { assertAccessible, skip } from '../../support/browser.ts'
import { newMember, startConsoleApp } from '../../support/console-people.ts'
import { holdUp, north, postJob, seedFleet } from '../../support/fleet.ts'
import { newDevice, newPhone, openClaim } from '../../support/phones-and-devices.ts'

suite('acts on what is under way, in the browser', { skip }, () => {
  test('a running job is cancelled: what is done stays done', async (t) => {
    const { app, openAs } = await startConsoleApp(t)
    const { ids, uuids } = await seedFleet(app, 1_500)
    const hold = await holdUp(t, app, uuids[700] as string)
    const { id } = (await postJob(app, { ...north, device_ids: ids })).body
    await hold.isReached()
    const member = await newMember(app, 'member')
    const { page, assertClean } = await openAs(member, `/w/${app.seed.slug}/jobs/${id}`)
    const dialog = page.getByRole('dialog')
    await page.getByRole('button', { name: 'Cancel…' }).click()
    await dialog.getByText('1,000 of 1,500 devices have not been attempted').waitFor()
    await assertAccessible(page)
    await dialog.getByRole('button', { name: 'Cancel the job' }).click()
    await page.getByText('cancelling', { exact: true }).waitFor()
    assert.equal(await page.getByRole('button', { name: 'Cancel…' }).count(), 0)
    await assertAccessible(page)
    await hold.release()
    await page.getByText('cancelled', { exact: true }).first().waitFor()
    await page.getByText('Cancelled', { exact: true }).waitFor()
    await page.getByLabel('Attempted devices').waitFor()
    await assertAccessible(page)
    assert.equal(await page.getByRole('button', { name: 'Cancel…' }).count(), 0)
    assertClean()
  })

  test('a claimed device is released, and no phone has it any more', async (t) => {
    const { app, openAs } = await startConsoleApp(t)
    const [phone, device] = [await newPhone(app), await newDevice(app)]
    const bound = await device.bind((await openClaim(app, phone)).code)
    assert.equal(bound.status, 200, bound.text)
    const member = await newMember(app, 'member')
    const { page, assertClean } = await openAs(member, `/w/${app.seed.slug}/devices/${device.id}`)
    const dialog = page.getByRole('dialog')
    await page.getByText('Claimed', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Release…' }).click()
    await dialog.getByText('the phone loses its rights now').waitFor()
    await assertAccessible(page)
    await dialog.getByRole('button', { name: 'Release' }).click()
    const receipt = page.getByRole('dialog', { name: 'Receipt' })
    await receipt.getByText('Verified on 1 of 1 nodes').waitFor()
    await assertAccessible(page)
    await receipt.getByRole('button', { name: 'Close' }).click()
    await page.getByText('nobody', { exact: true }).waitFor()
    await page.getByText('Claimed', { exact: true }).waitFor({ state: 'detached' })
    await assertAccessible(page)
    const { body } = await phone.call('GET', '/moid/devices')
    assert.deepEqual(body.items, [])
    await page.getByRole('button', { name: 'More', exact: true }).click()
    const again = page.getByRole('menuitem', { name: 'Release from its phone…' })
    assert.equal(await again.getAttribute('aria-disabled'), 'true')
    assertClean()
  })
})
