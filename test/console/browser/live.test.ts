/** Pages that stay current: by one stream for all tabs, and through outages. */
import assert from 'node:assert/strict'
import { suite, test, type TestContext } from 'node:test'
import { connectAsync } from 'mqtt'
import type { Page } from 'playwright-core'
import type { CreatedDevice } from '../../../sdk/schema.ts'
import { refreshConsole } from '../../../src/commands/serve.ts'
import { startApp } from '../../support/app.ts'
import { assertAccessible, openBrowser, openPage, skip } from '../../support/browser.ts'
import { openAsOwner, openService, signInAsOwner } from '../../support/console-page.ts'
import { freePort } from '../../support/free-port.ts'
import { preparedDataDir } from '../../support/service.ts'
import { movingClock, PASSWORD, person } from '../../support/sign-in.ts'
import { until } from '../../support/until.ts'

const SIXTEEN_MINUTES = 960_000

const isLive = (url: string): boolean => new URL(url).pathname.endsWith('/live')

/** The requests of a page, by the last part of their path. */
function countRequests(page: Page) {
  const all: string[] = []
  const open = new Set<object>()
  page.on('request', (request) => {
    all.push(new URL(request.url()).pathname.split('/').at(-1) ?? '')
    if (isLive(request.url())) open.add(request)
  })
  page.on('requestfinished', (request) => void open.delete(request))
  page.on('requestfailed', (request) => void open.delete(request))
  return {
    count: (name: string): number => all.filter((each) => each === name).length,
    streams: (): number => open.size,
  }
}

async function connect(t: TestContext, { mqtt_credentials: given }: CreatedDevice): Promise<void> {
  const { host, port, username, password, client_id: clientId } = given
  const client = await connectAsync(`mqtt://${host}:${port}`, { username, password, clientId })
  t.after(() => client.endAsync(true))
}

suite('live pages in the browser', { skip }, () => {
  test('an open list shows what connects, and lets new rows wait', async (t) => {
    const { page, make, assertClean } = await openAsOwner(t, 'devices')
    const requests = countRequests(page)
    await page.reload()
    await until('the stream', () => requests.streams() === 1)
    await page.getByText('Connect your first device').waitFor()
    const made = (await make('devices', { device_key: 'lamp-1' })) as unknown as CreatedDevice
    const row = page.getByRole('row', { name: /lamp-1/ })
    await row.getByText('Registered').waitFor()
    await connect(t, made)
    await row.getByText('Online').waitFor()
    await make('devices', { device_key: 'lamp-2' })
    await page.getByRole('button', { name: '1 new' }).waitFor()
    assert.equal(await page.getByRole('row', { name: /lamp-2/ }).count(), 0)
    await assertAccessible(page)
    await page.getByRole('button', { name: '1 new' }).click()
    await page.getByRole('row', { name: /lamp-2/ }).waitFor()
    assert.equal(await page.getByRole('button', { name: /new$/ }).count(), 0)
    // Nothing changes, so nothing is read.
    await page.waitForTimeout(1_500)
    const before = requests.count('devices')
    await page.waitForTimeout(6_000)
    assert.equal(requests.count('devices'), before)
    assertClean()
  })

  test('a list that is opened again shows at once what has come meanwhile', async (t) => {
    const { page, make, assertClean } = await openAsOwner(t, 'devices')
    const go = (name: string): Promise<void> =>
      page.getByRole('navigation').getByRole('link', { name, exact: true }).click()
    await make('devices', { device_key: 'lamp-1' })
    await page.getByRole('row', { name: /lamp-1/ }).waitFor()
    await go('Groups')
    await page.getByRole('heading', { name: 'Groups', exact: true }).waitFor()
    await make('devices', { device_key: 'lamp-2' })
    await go('Devices')
    await page.getByRole('row', { name: /lamp-2/ }).waitFor()
    assert.equal(await page.getByRole('button', { name: /new$/ }).count(), 0)
    await make('devices', { device_key: 'lamp-3' })
    await page.getByRole('button', { name: '1 new' }).waitFor()
    assertClean()
  })

  test('a job appears in an open list and moves to its end', async (t) => {
    const { page, make, assertClean } = await openAsOwner(t, 'jobs')
    await make('devices', { device_key: 'lamp-1' })
    await page.getByRole('heading', { name: 'Jobs', exact: true }).waitFor()
    const parameters = { set: { floor: 'ground' } }
    const { id } = await make('jobs', { action: 'tag', parameters, filter: '' })
    await page.getByRole('row', { name: /completed/ }).waitFor()
    await page.goto(`/console/w/acme/jobs/${String(id)}`)
    await page.getByText('completed').first().waitFor()
    // How far it is comes first, then what was asked for, as on the page of a rotation.
    const text = await page.getByRole('main').innerText()
    assert.match(text, /1 of 1 devices attempted[^]*Details[^]*Succeeded \(1\)/)
    assertClean()
  })

  test('a job of commands has queued them, and says later what became of them', async (t) => {
    const { page, make, assertClean } = await openAsOwner(t, 'jobs')
    page.setDefaultTimeout(60_000)
    const lamp = await make('devices', { device_key: 'lamp-1' })
    const command = { name: 'blink', timeout_s: 10 }
    const order = { action: 'command', parameters: command, device_ids: [lamp.id] }
    const { id } = await make('jobs', order)
    await page.goto(`/console/w/acme/jobs/${String(id)}`)
    const row = page.getByRole('row', { name: /lamp-1/ })
    await row.getByText('command queued', { exact: true }).waitFor()
    await row.getByText('not fetched yet').waitFor()
    assert.equal(await page.getByText('Succeeded').count(), 0)
    await row.getByText('not answered in time').waitFor()
    await page.getByText('completed, 1 not done').waitFor()
    await assertAccessible(page)
    const reboot = await make(`devices/${String(lamp.id)}/commands`, {
      name: 'reboot',
      timeout_s: 3_600,
    })
    await page.goto(`/console/w/acme/devices/${String(lamp.id)}?tab=commands`)
    const sent = page.getByRole('row', { name: new RegExp(String(reboot.name)) })
    await sent.getByRole('button', { name: 'Cancel' }).click()
    await sent.getByText(/^Cancelled by /).waitFor()
    assertClean()
  })

  test('two tabs share one stream, and the second continues when the first is closed', async (t) => {
    const { page, make, assertClean } = await openAsOwner(t, 'devices')
    const first = countRequests(page)
    await page.reload()
    await until('the stream', () => first.streams() === 1)
    const second = await page.context().newPage()
    const ofSecond = countRequests(second)
    await second.goto('/console/w/acme/devices')
    await second.getByText('Connect your first device').waitFor()
    const made = (await make('devices', { device_key: 'lamp-1' })) as unknown as CreatedDevice
    for (const each of [page, second]) await each.getByRole('row', { name: /lamp-1/ }).waitFor()
    await connect(t, made)
    await second.getByText('Online').waitFor()
    assert.deepEqual([first.streams(), ofSecond.count('live')], [1, 0])
    await page.close()
    await until('a stream of the second', () => ofSecond.streams() === 1)
    await make('devices', { device_key: 'lamp-2' })
    await second.getByRole('button', { name: '1 new' }).waitFor()
    assertClean()
  })

  test('while the service is away a bar says so, and typed text stays', async (t) => {
    const dataDir = await preparedDataDir(t)
    const environment = { MOORING_HTTP_PORT: String(await freePort()) }
    const service = await openService(t, dataDir, environment)
    const { page, assertClean } = await openPage(t, await openBrowser(t), service)
    await signInAsOwner(page)
    await page.goto('/console/w/acme/settings')
    await page.getByLabel('Name').fill('Ground Floor')
    await service.stop()
    await page.getByText(/The service does not answer/).waitFor()
    await page.getByText(/trying again in \d+ s/).waitFor()
    await assertAccessible(page)
    await openService(t, dataDir, environment)
    await page.getByText(/The service does not answer/).waitFor({ state: 'detached' })
    assert.equal(await page.getByLabel('Name').inputValue(), 'Ground Floor')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved').waitFor()
    assertClean()
  })

  test('a network that is lost in the middle of a form loses nothing of it', async (t) => {
    const { page, assertClean } = await openAsOwner(t, 'settings')
    await page.getByLabel('Name').fill('Ground Floor')
    await page.context().setOffline(true)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('The service did not answer.').waitFor()
    await assertAccessible(page)
    await page.context().setOffline(false)
    assert.equal(await page.getByLabel('Name').inputValue(), 'Ground Floor')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved').waitFor()
    assertClean()
  })

  test('a token that expires in the middle of a form loses neither text nor stream', async (t) => {
    await refreshConsole()
    const clock = movingClock()
    const app = await startApp(t, { clock })
    const { page, assertClean } = await openPage(t, await openBrowser(t), app)
    const { email } = await person(app)
    await page.goto('/console/workspaces')
    await page.getByLabel('E-mail').fill(email)
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('button', { name: 'Create workspace' }).first().click()
    const form = page.getByRole('dialog', { name: 'Create workspace' })
    await form.getByLabel('Name').fill('Second Floor')
    await form.getByRole('button', { name: 'Create', exact: true }).click()
    await page.waitForURL(/\/w\/second-floor/)
    const requests = countRequests(page)
    await page.goto('/console/w/second-floor/settings')
    await until('the stream', () => requests.streams() === 1)
    await page.getByLabel('Name').fill('Ground Floor')
    const reopened = page.waitForResponse(
      (response) => isLive(response.url()) && response.status() === 200,
    )
    clock.move(SIXTEEN_MINUTES)
    await reopened
    assert.equal(await page.getByLabel('Name').inputValue(), 'Ground Floor')
    assert.equal(await page.getByText(/The service does not answer/).count(), 0)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved').waitFor()
    assertClean()
  })
})
