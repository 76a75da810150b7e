/** The overview: the things that need attention, and that nothing does. */
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { parseId } from '../../../src/platform/lib/ids.ts'
import { assertAccessible, skip } from '../../support/browser.ts'
import { newMember, startConsoleApp } from '../../support/console-people.ts'
import { openAsOwner } from '../../support/console-page.ts'
import { seedTroubles } from '../../support/troubles.ts'
import { until } from '../../support/until.ts'

const linksOf = (page: Page, alert: string, name: RegExp) =>
  page.getByRole('alert').filter({ hasText: alert }).getByRole('link', { name }).first()

async function assertNotClipped(shown: Locator): Promise<void> {
  const [present, room] = await shown.evaluate(
    ({ scrollWidth, clientWidth }: { scrollWidth: number; clientWidth: number }) => [
      scrollWidth,
      clientWidth,
    ],
  )
  assert.equal(present, room)
}

suite('the overview in the browser', { skip }, () => {
  test('failing and lapsing resources are listed, for callers who may read them', async (t) => {
    const { app, openAs } = await startConsoleApp(t)
    const { seed, database } = app
    const owner = await newMember(app, 'owner')
    const viewer = await newMember(app, 'viewer')
    await seedTroubles(app, seed.uuid)
    const made = await seedTroubles(app, seed.uuid)

    const { page, assertClean } = await openAs(owner, `/w/${seed.slug}/`)
    const note = (name: string) => page.getByRole('note').filter({ hasText: name })
    await note('2 webhooks fail').waitFor()
    await page.getByRole('alert').filter({ hasText: '2 webhooks were disabled' }).waitFor()
    await page.getByText('2 certificates have expired').waitFor()
    await linksOf(page, '2 rotations have halted', /^Rotation of tags : "line 2", /).waitFor()
    await linksOf(page, '2 devices keep disconnecting', /^double-/).waitFor()
    await linksOf(page, '2 MQTT logins keep disconnecting', /^double-/).waitFor()
    assert.equal(await note('2 webhooks fail').getByText('plant').count(), 2)
    await assertAccessible(page)
    await note('2 webhooks fail').getByText('Their events are not delivered').waitFor()
    await page.setViewportSize({ width: 390, height: 844 })
    await assertAccessible(page)
    const topOf = async (name: string): Promise<number> =>
      (await page.getByText(name, { exact: true }).boundingBox())?.y ?? Infinity
    assert.ok((await topOf('Needs attention')) < (await topOf('Awaiting approval')))
    await assertNotClipped(note('2 webhooks fail'))

    await database.pool.query('DELETE FROM webhooks WHERE workspace_id = $1 AND id <> $2', [
      seed.uuid,
      parseId('whk', made.webhook_failing),
    ])
    await note('A webhook fails').waitFor({ timeout: 30_000 })
    await database.pool.query(
      `UPDATE webhooks SET description = NULL, url = 'https://hooks.example.com/a/long/path'
       WHERE workspace_id = $1`,
      [seed.uuid],
    )
    await page.reload()
    // By its host, as in the list of webhooks.
    await page.getByRole('link', { name: 'hooks.example.com', exact: true }).click()
    await page.getByText('After three days without success the webhook is disabled.').waitFor()
    assertClean()

    const other = await openAs(viewer, `/w/${seed.slug}/`)
    await other.page.getByText('2 domains have lapsed').waitFor()
    assert.equal(await other.page.locator('main').getByText('webhook').count(), 0)
    // A panel that a role may not read is left out.
    assert.equal(await other.page.getByText('What happened').count(), 0)
    other.assertClean()
  })

  test('a first step opens the form that it names, once', async (t) => {
    const { page, assertClean } = await openAsOwner(t, '')
    const first = page.getByRole('main').getByRole('link', { name: 'Create template' })
    await first.click()
    await page.getByRole('dialog').getByLabel('Model key').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    await until('the address of the list', () => !page.url().includes('dialog='))
    await page.goBack()
    await page.getByRole('main').getByRole('link', { name: 'Create key' }).click()
    await page.getByRole('dialog').getByText('Create an API key').waitFor()
    assertClean()
  })

  test('a workspace in which nothing fails says so', async (t) => {
    const { page, assertClean } = await openAsOwner(t, '')
    // Without TLS as well: only the same machine can reach this service.
    await page.getByRole('note').filter({ hasText: 'Nothing needs attention' }).waitFor()
    await assertAccessible(page)
    assertClean()
  })
})
