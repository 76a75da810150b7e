/** The audit log in the browser: found, read, verified; and what a broken chain says. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { suite, test } from 'node:test'
import { assertAccessible, skip } from '../../support/browser.ts'
import { openAsOwner } from '../../support/console-page.ts'
import { withDatabase } from '../../support/invoiced-workspaces.ts'
import { until } from '../../support/until.ts'

/** An entry of the chain that others follow. */
const middle = `SELECT seq::int FROM audit_log WHERE action = 'device.registered'
  AND seq < (SELECT max(seq) FROM audit_log) ORDER BY seq LIMIT 1`

suite('the audit log in the browser', { skip }, () => {
  test('the log is verified; a row that is altered in the database breaks the chain, and the page says where', async (t) => {
    const { page, make, dataDir, assertClean } = await openAsOwner(t, 'audit')
    for (const device_key of ['lamp-1', 'lamp-2', 'lamp-3']) await make('devices', { device_key })
    await page.getByRole('cell', { name: 'Device registered' }).nth(2).waitFor()
    await page.getByRole('button', { name: 'Verify' }).click()
    await page.getByText(/The chain is whole: \d+ entries/).waitFor()
    await assertAccessible(page)
    await page.getByRole('button', { name: 'Anchors…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Anchor now' }).click()
    await dialog.getByRole('row').nth(1).waitFor()
    await assertAccessible(page)
    await dialog.getByRole('button', { name: 'Compare' }).first().click()
    await page.getByText(/The anchor at \d+ is in the chain/).waitFor()
    let broken = 0
    await until('an entry is in the chain', () =>
      withDatabase(dataDir, async (query) => {
        const [row] = await query<{ seq: number }>(middle)
        broken = row?.seq ?? 0
        return broken > 0
      }),
    )
    await withDatabase(dataDir, (query) =>
      query(`UPDATE audit_log SET detail = '{"device_key": "lamp-9"}' WHERE seq = $1`, [broken]),
    )
    await page.getByRole('button', { name: 'Verify' }).click()
    await page.getByText(`The chain is broken at entry ${broken}`).waitFor()
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
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export' }).click(),
    ])
    assert.match(await readFile(await file.path(), 'utf8'), /"action":"device.registered"/)
    assertClean()
  })
})
