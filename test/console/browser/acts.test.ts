/** Acts on what is under way: a job is cancelled, a claim is ended, a device is disconnected. */
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { as, type TestApp } from '../../support/app.ts'
import { assertAccessible, skip } from '../../support/browser.ts'
import { registerDevice } from '../../support/commands.ts'
import { newMember, startConsoleApp } from '../../support/console-people.ts'
import { holdUp, north, postJob, seedFleet } from '../../support/fleet.ts'
import { closed, connectDevice } from '../../support/mqtt.ts'
import { newDevice, newPhone, openClaim } from '../../support/phones-and-devices.ts'

/** Chooses an act of the menu, and confirms it. */
async function act(page: Page, name: string, typed?: string): Promise<void> {
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: new RegExp(`^${name}…?$`) }).click()
  const dialog = page.getByRole('dialog')
  if (typed !== undefined) await dialog.getByLabel(`Type ${typed} to confirm`).fill(typed)
  await dialog.getByRole('button', { name, exact: true }).click()
}

/** The row of a process: it has said when it refused, and when it was done. */
async function assertVerified(receipt: Locator, { services }: TestApp, ended: number) {
  const row = receipt.getByRole('row').filter({ hasText: `embedded/${services.nodeId}` })
  await row.getByText('verified', { exact: true }).waitFor()
  await row.getByRole('cell', { name: String(ended), exact: true }).waitFor()
  assert.equal(await row.getByRole('cell', { name: /^[\d,]+ ms$/ }).count(), 3)
}

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

  test('what a factory has registered is approved or rejected, as chosen', async (t) => {
    const { app, openAs } = await startConsoleApp(t)
    const made = await app.call('POST', `/workspaces/${app.seed.id}/api-keys`, {
      as: as.platformKey(app.seed.platformKey),
      body: { key_kind: 'provision', approval: 'required' },
    })
    const register = async (hardware_id: string): Promise<string> => {
      const { status, body, text } = await app.call('POST', '/provision/device', {
        as: as.factory(made.body.key),
        body: { template_id: app.seed.template.id, hardware_id },
      })
      assert.equal(status, 201, text)
      return String(body.device_key)
    }
    const [good, bad] = [await register('hw-good'), await register('hw-bad')]
    const admin = await newMember(app, 'admin')
    const { page, assertClean } = await openAs(admin, `/w/${app.seed.slug}/approvals`)
    const dialog = page.getByRole('dialog')
    await page
      .getByRole('row', { name: new RegExp(good) })
      .getByRole('checkbox')
      .check()
    await assertAccessible(page)
    await page.getByRole('button', { name: 'Approve 1 selected' }).click()
    await dialog.getByText('They may connect').waitFor()
    await dialog.getByRole('button', { name: 'Approve' }).click()
    await page.getByRole('row', { name: new RegExp(good) }).waitFor({ state: 'detached' })
    await page.getByRole('row', { name: new RegExp(bad) }).waitFor()
    await page.getByRole('button', { name: 'Reject all' }).click()
    await dialog.getByRole('button', { name: 'Reject' }).click()
    await page.getByRole('heading', { name: 'Nothing awaits approval' }).waitFor()
    await page.goto(`/console/w/${app.seed.slug}/devices?filter=approval+%3D+approved`)
    await page.getByRole('row', { name: new RegExp(good) }).waitFor()
    assert.equal(await page.getByRole('row', { name: new RegExp(bad) }).count(), 0)
    assertClean()
  })

  test('what ends sessions of a device ends in the receipt of each process', async (t) => {
    const { app, openAs } = await startConsoleApp(t)
    const two = await app.sibling()
    const device = await registerDevice(app, two)
    const key = device.device_key
    const admin = await newMember(app, 'admin')
    const path = `/w/${app.seed.slug}/devices/${device.device_id}`
    const { page, assertClean } = await openAs(admin, path)
    const receipt = page.getByRole('dialog', { name: 'Receipt' })
    const finish = async (sessions: string): Promise<void> => {
      await receipt.getByText('Disconnected on 2 of 2 nodes').waitFor()
      await receipt.getByText(new RegExp(`^after [\\d,]+ ms: ${sessions}\\.$`)).waitFor()
      await assertVerified(receipt, app, 0)
      await assertVerified(receipt, two, sessions === '1 session' ? 1 : 0)
      await assertAccessible(page)
      await receipt.getByRole('button', { name: 'Close' }).click()
      await receipt.waitFor({ state: 'detached' })
    }
    const first = await connectDevice(t, device)
    await act(page, 'Disconnect')
    await finish('1 session')
    await closed(first)

    const second = await connectDevice(t, device)
    await page.getByRole('button', { name: 'Suspend' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Suspend' }).click()
    await finish('1 session')
    await closed(second)
    await assert.rejects(connectDevice(t, device))

    await act(page, 'Decommission', key)
    await finish('0 sessions')
    await act(page, 'Delete', key)
    await page.waitForURL(/\/devices\?receipt=rcp_/)
    await finish('0 sessions')
    await page.getByRole('heading', { name: 'Devices', exact: true }).waitFor()
    assert.equal(await page.getByRole('link', { name: key }).count(), 0)
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
