/** Names instead of ids, of actors and of subjects; all of a page by one request. */
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Page } from 'playwright-core'
import { formatId, newUuid } from '../../../src/platform/lib/ids.ts'
import { as, type TestApp } from '../../support/app.ts'
import { assertAccessible, skip } from '../../support/browser.ts'
import { newMember, startConsoleApp } from '../../support/console-people.ts'
import { HOSTILE } from '../../support/console-places.ts'
import { newDevice } from '../../support/phones-and-devices.ts'
import { seedUser } from '../../support/seed.ts'

/** The numbers of ids that were asked for, one for each request. */
function countNames(page: Page): number[] {
  const asked: number[] = []
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url())
    if (pathname.endsWith('/actors')) asked.push(searchParams.get('ids')?.split(',').length ?? 0)
  })
  return asked
}

const rename = 'UPDATE devices SET name = $2, device_key = $3 WHERE id = $1'
const write = `
  INSERT INTO audit_log (workspace_id, id, actor_kind, actor_id, action, resource_kind, resource_id)
  VALUES ($1, $2, $3, $4, $5, $6, $7)`

/** An entry of the audit log. */
const enter = ({ database, seed }: TestApp, ...entry: readonly (string | null)[]) =>
  database.pool.query(write, [seed.uuid, newUuid(), ...entry])

const invite = `
  INSERT INTO invitations (workspace_id, id, email, role, token_hash, created_by, expires_at)
  VALUES ($1, $2::uuid, $2::text || '@example.net', 'viewer', decode(md5($2::text), 'hex'), $3,
          now() + interval '1 day')`

suite('names in the browser', { skip }, () => {
  test('the history names who acted and with what, by one request', async (t) => {
    const { app, openAs } = await startConsoleApp(t)
    const { seed, database, call } = app
    const owner = await newMember(app, 'owner')
    const device = await newDevice(app)
    await database.pool.query(rename, [device.uuid, HOSTILE, 'pump-3'])
    const ofDevice = ['device', device.id] as const
    const key = formatId('key', seed.provisionKeyUuid)
    await enter(app, ...ofDevice, 'access.refused', null, null)
    await enter(app, 'user', owner.id, 'device.suspended', ...ofDevice)
    await enter(app, 'provision-key', key, 'template.updated', 'template', seed.template.id)

    const { page, assertClean } = await openAs(owner, `/w/${seed.slug}/`)
    const history = page.getByRole('region', { name: 'Newest entries of the audit log' })
    const row = (name: string) => history.getByRole('row', { name })
    await row('Access refused').getByRole('link', { name: HOSTILE }).waitFor()
    await row('Access refused').getByText('pump-3').waitFor()
    await row('Device suspended').getByText('Test', { exact: true }).waitFor()
    await row('Template updated').getByRole('link', { name: 'Sensor' }).waitFor()
    await row('Template updated').getByRole('link', { name: 'seed' }).waitFor()
    assert.equal(await row('Template updated').getByText(/^tpl_/).count(), 0)
    // Inter would draw the x of `3x7` as a multiplication sign.
    const joined = `[...document.querySelectorAll('body *')]
      .filter((each) => getComputedStyle(each).fontVariantLigatures !== 'no-contextual').length`
    assert.equal(await page.evaluate(joined), 0)
    await assertAccessible(page)

    const asked = countNames(page)
    await page.reload()
    await row('Template updated').getByRole('link', { name: 'Sensor' }).waitFor()
    // Again once the stream is there; each time by one request.
    assert.deepEqual(new Set(asked), new Set([4]))

    await row('Access refused').getByRole('link', { name: HOSTILE }).click()
    await page.waitForURL(`**/devices/${device.id}`)
    const path = `/workspaces/${seed.id}/devices/${device.id}`
    assert.equal((await call('DELETE', path, { as: as.user(seed.owner.token) })).status, 204)
    await page.goto(`/console/w/${seed.slug}/`)
    await row('Access refused').getByText('a deleted device').waitFor()
    assertClean()
  })

  test('more names than one request may ask for take two', async (t) => {
    const { app, openAs } = await startConsoleApp(t)
    const { seed, database } = app
    const owner = await newMember(app, 'owner')
    for (let at = 0; at < 60; at += 1) {
      const { id } = await seedUser(app, { [seed.uuid]: 'member' })
      await database.pool.query(invite, [seed.uuid, newUuid(), id])
    }
    const { page, assertClean } = await openAs(owner, '/workspaces')
    await page.getByRole('heading', { name: 'Workspaces' }).waitFor()
    const asked = countNames(page)
    await page.goto(`/console/w/${seed.slug}/people`)
    const table = page.getByRole('region', { name: 'Pending invitations' })
    await table
      .getByRole('cell', { name: /@example.com/ })
      .nth(59)
      .waitFor()
    assert.deepEqual(asked.slice(0, 2), [50, 10])
    assertClean()
  })
})
