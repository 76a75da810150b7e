/** An event reads as the same sentence on every page. */
import { suite, test } from 'node:test'
import { assertAccessible, skip } from '../../support/browser.ts'
import { openAsOwner, type OwnerPage } from '../../support/console-page.ts'

/** @returns the end of the phone's id */
async function claim({ call }: OwnerPage, device: Record<string, unknown>): Promise<string> {
  const session = await call('POST', '/moid/session', {})
  const started = await call('POST', '/moid/claims', {
    headers: { authorization: `Bearer ${session.body.access_token}` },
    body: { workspace_id: device.workspace_id },
  })
  await call('POST', '/devices/auth/bind-claim', {
    headers: { authorization: `Bearer ${String(device.device_http_token)}` },
    body: { claim_code: started.body.claim_code },
  })
  return String(session.body.moid_id).slice(-6)
}

suite('the sentence of an act', { skip }, () => {
  test('is the same on every page for a claim', async (t) => {
    const opened = await openAsOwner(t, 'events')
    const { page, make, assertClean } = opened
    const device = await make('devices', { device_key: 'lamp-1', name: 'Hall' })
    const phone = await claim(opened, device)
    const sentence = new RegExp(`^Device claimed for phone …${phone}`)
    const pages = [
      { path: 'events', named: 1 },
      { path: 'audit', named: 2 },
      { path: '', named: 2 },
    ]
    for (const { path, named } of pages) {
      await page.goto(`/console/w/acme/${path}`)
      await page.getByRole('cell', { name: sentence }).waitFor()
      // The code of a claim has the name of its phone. Events do not name the actor.
      const code = page.getByRole('row').filter({ hasText: 'Claim code created' })
      const phones = code.getByRole('cell', { name: `phone …${phone}` })
      await phones.nth(named - 1).waitFor()
      await assertAccessible(page)
    }
    await page.goto(`/console/w/acme/devices/${String(device.id)}?tab=timeline`)
    const timeline = page.getByRole('region', { name: 'Timeline' })
    await timeline
      .getByRole('listitem')
      .filter({ hasText: `Device claimed for phone …${phone}` })
      .waitFor()
    await make(`devices/${String(device.id)}/release`, {})
    const released = `Device released from phone …${phone}`
    await timeline.getByRole('listitem').filter({ hasText: released }).waitFor()
    await assertAccessible(page)
    assertClean()
  })

  test('names the tags for a job that tags devices', async (t) => {
    const { page, make, assertClean } = await openAsOwner(t, 'audit')
    await make('devices', { device_key: 'lamp-1' })
    await make('jobs', { action: 'tag', parameters: { set: { floor: '1' } }, filter: '' })
    await page.getByRole('link', { name: 'Tag devices: floor = 1', exact: true }).first().waitFor()
    await page.goto('/console/w/acme/events')
    await page.getByRole('cell', { name: 'Tag devices: floor = 1' }).first().waitFor()
    await assertAccessible(page)
    assertClean()
  })

  test('names the view for a saved view', async (t) => {
    const { page, make, assertClean } = await openAsOwner(t, 'audit')
    await make('views', { name: 'Ground floor', filter: 'tags.floor = ground' })
    await page.getByRole('link', { name: 'view Ground floor' }).first().click()
    await page.getByRole('button', { name: 'View: Ground floor' }).waitFor()
    assertClean()
  })

  test('names the topic for messages that are watched', async (t) => {
    const { page, assertClean } = await openAsOwner(t, 'messages?topic=acme%2F%23')
    await page.getByText('Watching').waitFor()
    await page.getByRole('main').getByRole('link', { name: 'Connect a device' }).waitFor()
    await page.goto('/console/w/acme/audit')
    await page.getByRole('cell', { name: 'Began to watch acme/#' }).waitFor()
    const end = /^Stopped watching acme\/# \(0 messages in \d+ s\)$/
    await page.getByRole('cell', { name: end }).waitFor({ timeout: 30_000 })
    assertClean()
  })
})
