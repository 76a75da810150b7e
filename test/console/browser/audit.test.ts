/** The audit log in the browser: found, read, verified; and what a broken chain says. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { suite, test } from 'node:test'
import type { Page } from 'playwright-core'
import { assertAccessible, skip } from '../../support/browser.ts'
import { openAsOwner } from '../../support/console-page.ts'
import { withDatabase } from '../../support/invoiced-workspaces.ts'
import { until } from '../../support/until.ts'

/** An entry of the chain that others follow, and its place. */
const middle = `SELECT a.id, (b.first_seq - 1 + e.n)::int AS seq
  FROM audit_batches b, unnest(b.ids) WITH ORDINALITY AS e (id, n)
  JOIN audit_log a ON a.id = e.id
  WHERE a.workspace_id = b.workspace_id AND a.action = 'device.registered'
    AND b.first_seq - 1 + e.n < (SELECT max(last_seq) FROM audit_batches c
                                 WHERE c.workspace_id = b.workspace_id)
  ORDER BY seq LIMIT 1`

/** Verifications that wait, and how many there are. */
async function verifyHeld(page: Page) {
  const { promise, resolve: release } = Promise.withResolvers<void>()
  let calls = 0
  await page.route(/\/audit-log\/verify/, async (route) => {
    calls += 1
    await promise
    await route.fallback()
  })
  return { count: () => calls, release }
}

suite('the audit log in the browser', { skip }, () => {
  test('the log is verified; a row that is altered in the database breaks the chain, and the page says where', async (t) => {
    const { page, make, dataDir, assertClean } = await openAsOwner(t, 'audit')
    for (const device_key of ['lamp-1', 'lamp-2', 'lamp-3']) await make('devices', { device_key })
    await page.getByRole('cell', { name: 'Device registered' }).nth(2).waitFor()
    await page.getByRole('button', { name: 'Verify' }).click()
    await page.getByText(/The chain is intact: \d+ entries/).waitFor()
    await assertAccessible(page)
    await page.getByRole('button', { name: 'Anchors…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Anchor now' }).click()
    await dialog.getByRole('row').nth(1).waitFor()
    await assertAccessible(page)
    const calls = await verifyHeld(page)
    const verify = dialog.getByRole('row').getByRole('button', { name: 'Verify' }).first()
    await verify.click()
    await dialog.getByText('Verifying…').waitFor()
    assert.equal(await verify.getAttribute('aria-busy'), 'true')
    // Each run computes the whole chain: there is no second one meanwhile.
    await verify.click({ force: true })
    assert.equal(calls.count(), 1)
    calls.release()
    await dialog.getByText(/The anchor at \d+ is in the chain/).waitFor()
    await dialog.getByText('Verify an anchor that you have kept').click()
    await dialog.getByLabel('Entry of your anchor').fill('1')
    await dialog.getByLabel('Its hash').fill('0'.repeat(64))
    await dialog.getByRole('button', { name: 'Verify' }).last().click()
    await dialog.getByText('The chain does not contain the anchor').waitFor()
    await assertAccessible(page)
    await dialog.getByRole('button', { name: 'Close' }).click()
    let broken: { id: string; seq: number } | undefined
    await until('an entry is in the chain', () =>
      withDatabase(dataDir, async (query) => {
        const [row] = await query<{ id: string; seq: number }>(middle)
        broken = row
        return row !== undefined
      }),
    )
    await withDatabase(dataDir, (query) =>
      query(`UPDATE audit_log SET detail = '{"device_key": "lamp-9"}' WHERE id = $1`, [broken?.id]),
    )
    await page.getByRole('button', { name: 'Verify' }).click()
    await page.getByText(`The chain is broken at entry ${broken?.seq}`).waitFor()
    await assertAccessible(page)
    assertClean()
  })

  test('an entry is found by its action, and shows before and after', async (t) => {
    const { page, make, change, assertClean } = await openAsOwner(t, 'audit')
    const device = await make('devices', { device_key: 'lamp-1', name: 'Hall' })
    await change(`devices/${String(device.id)}`, { name: 'Kitchen' })
    const filter = page.getByRole('combobox', { name: 'Filter of the audit log' })
    await filter.fill('device.updated')
    await filter.press('Enter')
    await page.getByRole('cell', { name: 'Device updated' }).waitFor()
    assert.equal(await page.getByRole('cell', { name: 'Device registered' }).count(), 0)
    await page.getByRole('button', { name: /^Show entry/ }).click()
    const changes = page.getByRole('dialog').getByLabel('Changes')
    await changes.getByText('"name": "Hall"').waitFor()
    await changes.getByText('"name": "Kitchen"').waitFor()
    await assertAccessible(page)
    await page.getByRole('button', { name: 'Close' }).click()
    await page.setViewportSize({ width: 390, height: 844 })
    // The whole block is the button.
    const time = page.getByRole('cell', { name: /^\w+ \d+, \d+, \d+:\d\d:\d\d/ })
    const { x, y } = (await time.boundingBox()) ?? { x: 0, y: 0 }
    await page.mouse.click(x + 20, y + 5)
    await page.getByRole('dialog').getByLabel('Changes').waitFor()
    await page.getByRole('button', { name: 'Close' }).click()
    await page.setViewportSize({ width: 1280, height: 800 })
    await make('devices', { device_key: 'lamp-2' })
    for (const name of ['lamp-1', 'Kitchen', 'kitchen']) {
      await filter.fill(name)
      await filter.press('Enter')
      await page.getByRole('cell', { name: 'Device registered' }).waitFor()
      await page.getByRole('row').nth(2).waitFor()
      assert.equal(await page.getByRole('row').count(), 3, name)
    }
    await filter.fill('Owner')
    await filter.press('Enter')
    await page.getByRole('row').nth(3).waitFor()
    assert.match((await filter.textContent()) ?? '', /^actor = "usr_\w+" OR resource = "usr_\w+"$/)
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export the whole log' }).click(),
    ])
    assert.match(await readFile(await file.path(), 'utf8'), /"action":"device.registered"/)
    assertClean()
  })
})
