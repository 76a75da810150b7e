/** Actions on work in progress: a job is cancelled, a claim is ended, a device is disconnected. */
import assert from 'node:assert/strict'
import { suite, test, type TestContext } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { newUuid, parseId } from '../../../src/platform/lib/ids.ts'
import { as, type CallResult, type TestApp } from '../../support/app.ts'
import { assertAccessible, skip } from '../../support/browser.ts'
import { registerDevice, sendCommand, staff } from '../../support/commands.ts'
import { newMember, startConsoleApp } from '../../support/console-people.ts'
import { holdUp, seedFleet } from '../../support/fleet.ts'
import { closed, connectDevice } from '../../support/mqtt.ts'
import { aclsOf, addRules } from '../../support/mqtt-rules.ts'
import { refresh, signIn } from '../../support/sign-in.ts'
import { until } from '../../support/until.ts'
import { webhooksOf } from '../../support/webhook-receiver.ts'

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

type Make = (path: string, body: object) => Promise<CallResult['body']>

/** A webhook that is paused, with deliveries that wait. */
async function pausedWebhook(app: TestApp, waiting: number): Promise<string> {
  const { make, send } = webhooksOf(app)
  const { id } = await make({ url: 'https://hooks.example.com/' })
  assert.equal((await send('PATCH', `/${id}`, { status: 'disabled' })).status, 200)
  const ids = Array.from({ length: waiting }, newUuid)
  await app.app.database.pool.query(
    `INSERT INTO webhook_deliveries (workspace_id, webhook_id, id, event_id, seq, type, status,
                                     tries, attempts)
     SELECT $1, $2, id, id, 0, 'device.deleted', 'waiting', 1, '[]' FROM unnest($3::uuid[]) AS id`,
    [app.seed.uuid, parseId('whk', id), ids],
  )
  return id
}

/** A login with two rules, and two clients that use it. */
async function usedLogin(t: TestContext, app: TestApp, make: Make): Promise<string> {
  const { id, mqtt_credentials } = await make('mqtt/principals', { name: 'Bridge' })
  await addRules(aclsOf(app, id), 'allow publish {slug}/a', 'allow publish {slug}/b')
  const login = { ...mqtt_credentials, device_id: id, mqtt_port: app.app.ports.mqtt }
  for (const clientId of [id, `${id}:b`]) await connectDevice(t, login, { clientId })
  return id
}

/** A campaign that has asked one device of three. */
async function startedCampaign(app: TestApp, make: Make, ids: readonly string[]) {
  const { id } = await make('rotation-campaigns', {
    device_ids: ids,
    wave_size: 1,
    pause_s: 3_600,
    confirm_within_s: 3_600,
  })
  const path = `/workspaces/${app.seed.id}/rotation-campaigns/${id}`
  await until('one was asked', async () => {
    const { counts } = (await app.call('GET', path, { as: staff(app) })).body
    return counts.due === 2 && counts.waiting === 1
  })
  return id
}

/** The scope of the actions of the next test; each number of it is another one where it can be. */
async function populate(t: TestContext, app: TestApp) {
  const call = async (method: string, path: string, body?: object): Promise<CallResult['body']> => {
    const place = `/workspaces/${app.seed.id}/${path}`
    const answer = await app.call(method, place, { as: staff(app), ...(body && { body }) })
    assert.ok(answer.status < 300, answer.text)
    return answer.body
  }
  const make: Make = (path, body) => call('POST', path, body)
  const { ids } = await seedFleet(app, 3)
  const device = await registerDevice(app)
  await connectDevice(t, device)
  for (const name of ['reboot', 'blink', 'sleep'])
    await sendCommand(app, device, { name, timeout_s: 3_600 })
  const group = await make('device-groups', { name: 'North' })
  await call('POST', `device-groups/${group.id}/devices`, { add: ids.slice(1) })
  await make('custom-fields', { name: 'site', type: 'string' })
  await call('PATCH', `devices/${ids[0]}`, { custom_fields: { site: 'Kiel' } })
  const key = await make('api-keys', { key_kind: 'provision', name: 'Line 7', device_quota: 10 })
  const made = { template_id: app.seed.template.id }
  const registered = await app.call('POST', '/provision/device', {
    as: as.factory(key.key),
    body: made,
  })
  assert.equal(registered.status, 201, registered.text)
  const login = await usedLogin(t, app, make)
  const campaign = await startedCampaign(app, make, ids)
  await until('the list has three sessions', async () => {
    const { items } = await call('GET', 'mqtt/connections')
    return items.length === 3
  })
  const webhook = await pausedWebhook(app, 4)
  return { device: device.device_id, group: group.id, key: key.id, login, campaign, webhook }
}

type Reached = Awaited<ReturnType<typeof populate>>

/** Where an act is, the buttons that open its dialog, and the numbers in that. */
type Dangerous = readonly [
  path: string,
  names: readonly string[],
  numbers: Readonly<Record<string, string>>,
]

const dangerous = ({ seed }: TestApp, reached: Reached): readonly Dangerous[] => {
  const [login, device] = [`logins/${reached.login}`, `devices/${reached.device}`]
  return [
    [`templates/${seed.template.id}`, ['Delete…'], { 'Devices of this template': '5' }],
    [`webhooks/${reached.webhook}`, ['More', 'Delete…'], { 'Waiting deliveries': '4' }],
    ['settings', ['Delete'], { 'Devices with a value': '1' }],
    [
      `rotations/${reached.campaign}`,
      ['Cancel…'],
      { 'Not asked yet': '2', 'Asked, not rotated yet': '1' },
    ],
    [login, ['Suspend…'], { 'Live sessions': '2' }],
    [login, ['More', 'Reset password…'], { 'Live sessions': '2' }],
    [login, ['More', 'Delete…'], { 'Live sessions': '2', 'Its rules': '2' }],
    [device, ['Suspend…'], { 'Live sessions': '1' }],
    [device, ['More', 'Disconnect…'], { 'Live sessions': '1' }],
    [device, ['More', 'Reset credentials…'], { 'Live sessions': '1' }],
    [device, ['More', 'Decommission…'], { 'Live sessions': '1' }],
    [device, ['More', 'Delete…'], { 'Live sessions': '1', 'Open commands': '3' }],
    [`keys/${reached.key}`, ['Revoke…'], { 'Devices registered': '1 of 10' }],
    [`groups/${reached.group}`, ['Delete…'], { 'Devices in the group': '2' }],
  ]
}

/** Opens the dialog of an act: by a button, or by an item of its menu. */
async function open(page: Page, [first = '', item]: readonly string[]): Promise<void> {
  await page.getByRole('button', { name: first, exact: true }).click()
  if (item !== undefined) await page.getByRole('menuitem', { name: item, exact: true }).click()
  await page.getByRole('dialog').waitFor()
}

/** Waits for the number that the dialog gives under a name. */
const says = (page: Page, name: string, number: string): Promise<void> =>
  page
    .getByRole('dialog')
    .locator('dl > div')
    .filter({ has: page.getByText(name, { exact: true }) })
    .getByText(number, { exact: true })
    .waitFor()

/** A resource in use is ended by its name only. */
async function typeNames(page: Page, place: string, reached: Reached): Promise<void> {
  await page.goto(`${place}webhooks/${reached.webhook}`)
  await open(page, ['More', 'Delete…'])
  await page.getByLabel('Type hooks.example.com to confirm').waitFor()
  await page.goto(`${place}keys/${reached.key}`)
  await open(page, ['Revoke…'])
  await page.getByLabel('Type Line 7 to confirm').waitFor()
}

/** The group is deleted although the number could not be read; until then it could, too. */
async function deleteUncounted(page: Page): Promise<void> {
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  await page.route('**/devices/count*', async (route) => {
    await held
    await route.fulfill({ status: 500 })
  })
  await page.reload()
  await open(page, ['Delete…'])
  await says(page, 'Devices in the group', '…')
  const confirm = page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true })
  assert.equal(await confirm.getAttribute('aria-disabled'), null)
  release()
  await says(page, 'Devices in the group', 'not known')
  await assertAccessible(page)
  await confirm.click()
  await page.getByRole('heading', { name: 'No groups yet' }).waitFor()
}

/** Waits for one of the counts of a job. */
const counts = (page: Page, name: string, number: string): Promise<void> =>
  page.getByText(name, { exact: true }).locator('..').getByText(number, { exact: true }).waitFor()

/** Starts a job over all devices that the list finds. */
async function startTagging(page: Page): Promise<void> {
  const dialog = page.getByRole('dialog')
  await page.locator('main tbody input').first().waitFor()
  await page.getByLabel('Select all rows that are shown').click()
  await page.getByRole('button', { name: /^Select all [\d,+]+ that match/ }).click()
  await page.getByRole('button', { name: 'Change…' }).click()
  await dialog.getByLabel('Tag', { exact: true }).fill('floor')
  await dialog.getByLabel('Value').fill('ground')
  await dialog.getByRole('button', { name: 'Start' }).click()
  await page.getByRole('heading', { name: 'Tag devices' }).waitFor()
}

async function endOneOther(page: Page): Promise<void> {
  const dialog = page.getByRole('dialog')
  const others = page.getByRole('button', { name: 'End all others' })
  await others.click()
  await dialog
    .getByText('One session ends now: its browser or device has to sign in again.')
    .waitFor()
  await dialog.getByRole('button', { name: 'End 1 session' }).click()
  await dialog.waitFor({ state: 'detached' })
  await others.and(page.locator('[aria-disabled="true"]')).waitFor()
}

suite('actions on work in progress, in the browser', { skip }, () => {
  test('a job over all matches of a filter is cancelled: completed items stay', async (t) => {
    const { app, openAs } = await startConsoleApp(t)
    const { uuids } = await seedFleet(app, 10_001)
    const hold = await holdUp(t, app, uuids[5_000] as string)
    const member = await newMember(app, 'member')
    const filter = encodeURIComponent('device_key = "f-*"')
    const path = `/w/${app.seed.slug}/devices?filter=${filter}`
    const { page, assertClean } = await openAs(member, path)
    await startTagging(page)
    await hold.isReached()
    const dialog = page.getByRole('dialog')
    await page.getByRole('button', { name: 'Cancel…' }).click()
    await dialog.getByText('5,001 of 10,001 devices have not been attempted').waitFor()
    await assertAccessible(page)
    await dialog.getByRole('button', { name: 'Cancel the job' }).click()
    await page.getByText('cancelling', { exact: true }).waitFor()
    assert.equal(await page.getByRole('button', { name: 'Cancel…' }).count(), 0)
    await assertAccessible(page)
    await hold.release()
    await page.getByText('cancelled', { exact: true }).first().waitFor()
    await counts(page, 'Succeeded', '5,500')
    await counts(page, 'Cancelled', '4,501')
    await page.getByLabel('Attempted devices').waitFor()
    await assertAccessible(page)
    assert.equal(await page.getByRole('button', { name: 'Cancel…' }).count(), 0)
    const { rows } = await app.app.database.pool.query(
      "SELECT FROM devices WHERE tags ->> 'floor' = 'ground'",
    )
    assert.equal(rows.length, 5_500)
    assertClean()
  })

  test('registered devices are approved or rejected, as chosen', async (t) => {
    const { app, openAs } = await startConsoleApp(t)
    const made = await app.call('POST', `/workspaces/${app.seed.id}/api-keys`, {
      as: as.platformKey(app.seed.platformKey),
      body: { key_kind: 'provision', name: 'Line 2', approval: 'required' },
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
    await page.getByRole('button', { name: 'Reject all…' }).click()
    await dialog.getByRole('button', { name: 'Reject' }).click()
    await page.getByRole('heading', { name: 'Nothing awaits approval' }).waitFor()
    await page
      .getByText('A key that asks for approval: Line 2')
      .getByRole('link', { name: 'Line 2' })
      .click()
    await page.getByRole('link', { name: 'What it has registered, in the audit log' }).click()
    const registered = page.getByRole('cell', { name: 'Device registered' })
    await registered.nth(1).waitFor()
    assert.equal(await registered.count(), 2)
    await page.goto(`/console/w/${app.seed.slug}/devices?filter=approval+%3D+approved`)
    await page.getByRole('row', { name: new RegExp(good) }).waitFor()
    assert.equal(await page.getByRole('row', { name: new RegExp(bad) }).count(), 0)
    assertClean()
  })

  test('actions that end sessions of a device show the receipt of each process', async (t) => {
    const { app, openAs } = await startConsoleApp(t)
    const two = await app.sibling()
    const device = await registerDevice(app, two)
    const key = device.device_key
    const admin = await newMember(app, 'admin')
    const path = `/w/${app.seed.slug}/devices/${device.device_id}`
    const { page, assertClean } = await openAs(admin, path)
    const receipt = page.getByRole('dialog', { name: 'Receipt' })
    const finish = async (sessions: string): Promise<void> => {
      const what = sessions.startsWith(':') ? 'Disconnected' : 'Refused'
      await receipt.getByText(`${what} on 2 of 2 nodes`).waitFor()
      await receipt.getByText(new RegExp(`^after [\\d,]+ ms${sessions}\\.$`)).waitFor()
      await assertVerified(receipt, app, 0)
      await assertVerified(receipt, two, sessions === ': 1 session' ? 1 : 0)
      await assertAccessible(page)
      await receipt.getByText(/^rcp_/).waitFor()
      await receipt.getByText('Requested').waitFor()
      await receipt.getByRole('button', { name: 'Close' }).last().click()
      await receipt.waitFor({ state: 'detached' })
    }
    const first = await connectDevice(t, device)
    await act(page, 'Disconnect')
    await finish(': 1 session')
    await closed(first)

    const second = await connectDevice(t, device)
    await page.getByRole('button', { name: 'Suspend' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Suspend' }).click()
    await receipt.getByText('Device suspended').waitFor()
    await receipt.getByRole('link', { name: key }).waitFor()
    const downloading = page.waitForEvent('download')
    await receipt.getByRole('button', { name: 'Download' }).click()
    assert.match((await downloading).suggestedFilename(), /^rcp_\w+\.json$/)
    await finish(': 1 session')
    await closed(second)
    await assert.rejects(connectDevice(t, device))

    await act(page, 'Decommission', key)
    await finish('. No session was open')
    await page.goto(`/console${path}?tab=credentials`)
    await page.getByRole('heading', { name: 'It has no valid credentials' }).waitFor()
    await page.getByText('A decommissioned device cannot connect.').waitFor()
    await assertAccessible(page)
    await act(page, 'Delete', key)
    await page.waitForURL(/\/devices\?receipt=rcp_/)
    await finish('. No session was open')
    await page.getByRole('heading', { name: 'Devices', exact: true }).waitFor()
    assert.equal(await page.getByRole('link', { name: key }).count(), 0)
    assertClean()
  })

  test('each dangerous act says in numbers what it reaches', async (t) => {
    const { app, openAs } = await startConsoleApp(t)
    const reached = await populate(t, app)
    const admin = await newMember(app, 'admin')
    const { page, assertClean } = await openAs(admin, `/w/${app.seed.slug}/`)
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    const place = `/console/w/${app.seed.slug}/`
    for (const [path, names, numbers] of dangerous(app, reached)) {
      if (!page.url().endsWith(path)) await page.goto(place + path)
      await open(page, names)
      for (const [name, number] of Object.entries(numbers)) await says(page, name, number)
      const leave = { name: /^(?:Cancel|Keep it running)$/ }
      await page.getByRole('dialog').getByRole('button', leave).click()
      await page.getByRole('dialog').waitFor({ state: 'detached' })
    }
    await typeNames(page, place, reached)
    await page.goto(`${place}groups/${reached.group}`)
    await deleteUncounted(page)
    const elsewhere = await signIn(app, admin)
    await page.goto('/console/account/sessions')
    await endOneOther(page)
    assert.equal((await refresh(app, elsewhere.refresh_token)).status, 401)
    await page.reload()
    await page.getByText('this browser').waitFor()
    assertClean()
  })
})
