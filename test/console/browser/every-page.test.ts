/**
 * Every page, as somebody sees it who has nothing yet, who has everything, and whose service fails:
 * wide and narrow, light and dark. No page violates a rule of WCAG 2.2 AA or the content security
 * policy, and none is wider than a phone.
 */
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { fileOfPage } from '../../../console/budget.ts'
import { connectAsync } from 'mqtt'
import type { Page } from 'playwright-core'
import { skip } from '../../support/browser.ts'
import { failure, faultsOf, germanFaultsOf } from '../../support/console-walk.ts'
import { openAsOwner, type OwnerPage } from '../../support/console-page.ts'
import {
  HOSTILE,
  type Made,
  ownPlaces,
  payPlaces,
  type Place,
  publicPlaces,
} from '../../support/console-places.ts'

type Device = Record<string, unknown>

/** As the device: once refused, and then with hostile reports. */
async function publish(mqtt: OwnerPage['mqtt'], { mqtt_credentials }: Device): Promise<void> {
  const { mqtt_username: username, mqtt_password: password } = mqtt_credentials as {
    mqtt_username: string
    mqtt_password: string
  }
  const url = `mqtt://${mqtt.host}:${mqtt.port}`
  await assert.rejects(connectAsync(url, { username, password, clientId: HOSTILE }))
  const client = await connectAsync(url, { username, password, clientId: 'tb-0001' })
  const error = { code: HOSTILE, message: HOSTILE }
  const say = (topic: string, message: object) =>
    client.publishAsync(`acme/tb-0001/${topic}`, JSON.stringify(message), { qos: 1 })
  await say('state', { [HOSTILE]: HOSTILE, temperature: 21.5 })
  await say('config/status', { rid: HOSTILE, applied: false, version: 1, error })
  await client.endAsync()
}

/** As the device, over HTTP: a command fails, and a phone claims it under a name of its own. */
async function beClaimed({ call, workspaceId }: OwnerPage, device: Device): Promise<void> {
  const headers = { authorization: `Bearer ${String(device.device_http_token)}` }
  const post = async (path: string, as: object, body?: object): Promise<Device> => {
    const response = await call('POST', path, { headers: { ...as }, ...(body && { body }) })
    assert.ok(response.status < 300, response.text)
    return response.body
  }
  const { body } = await call('GET', '/devices/auth/commands', { headers })
  const result = { ok: false, error: HOSTILE, result: { [HOSTILE]: HOSTILE } }
  await post(`/devices/auth/commands/${body.items[0].id}/ack`, headers, result)
  const session = await post('/moid/session', {})
  const phone = { authorization: `Bearer ${String(session.access_token)}` }
  const wanted = { workspace_id: workspaceId, name: HOSTILE }
  const { claim_code } = await post('/moid/claims', phone, wanted)
  await post('/devices/auth/bind-claim', headers, { claim_code })
}

/** The names of the person and of the workspace. */
async function rename({ call, headers, workspaceId }: OwnerPage): Promise<void> {
  for (const path of ['/auth/me', `/workspaces/${workspaceId}`]) {
    const response = await call('PATCH', path, { headers, body: { name: HOSTILE } })
    assert.equal(response.status, 200, response.text)
  }
}

const makeWebhook = (make: OwnerPage['make']): Promise<Record<string, unknown>> =>
  make('webhooks', {
    url: 'https://hooks.example.com/<b>',
    description: HOSTILE,
    types: ['device.*', 'member.removed'],
  })

async function makeLogin(make: OwnerPage['make']): Promise<Record<string, unknown>> {
  const login = await make('mqtt/principals', { name: 'dash <b>', description: HOSTILE })
  const acl = { action: 'subscribe', topic: '{slug}/+/state', permission: 'allow' }
  await make(`mqtt/principals/${String(login.id)}/acls`, acl)
  return login
}

const makeTemplate = (make: OwnerPage['make']): Promise<Record<string, unknown>> =>
  make('device-templates', {
    model_key: 'tb-lite',
    name: HOSTILE,
    description: HOSTILE,
    serial_format: 'TB-%#f',
    capabilities: ['temperature', 'label'],
    capability_definitions: [
      { name: 'temperature', type: 'number', mode: 'read', unit: '<b>' },
      { name: 'label', type: 'string', mode: 'read_write', description: HOSTILE },
    ],
    default_config: { [HOSTILE]: HOSTILE },
    mqtt_acl: [
      { action: 'publish', topic: '{slug}/{device_key}/state', permission: 'allow' },
      { action: 'publish', topic: '{slug}/{device_key}/config/status', permission: 'allow' },
      { action: 'subscribe', topic: '{slug}/{device_key}/cmd/#', permission: 'allow' },
    ],
  })

/** Makes one of everything, with hostile texts wherever a text may be chosen. */
async function fill(opened: OwnerPage): Promise<Made> {
  const { make, mqtt } = opened
  const template = await makeTemplate(make)
  const body = { device_key: 'tb-0001', template_id: template.id, name: HOSTILE }
  await make('custom-fields', { name: 'site', type: 'string', description: HOSTILE })
  const free = { tags: { floor: HOSTILE }, custom_fields: { site: HOSTILE } }
  const device = await make('devices', { ...body, ...free })
  const other = await make('devices', { device_key: 'tb-0002', name: HOSTILE })
  const path = `devices/${String(device.id)}`
  await make(`${path}/notes`, { text: HOSTILE })
  await make(`${path}/commands`, { name: 'label', payload: { label: HOSTILE } })
  const group = await make('device-groups', { name: HOSTILE })
  const key = await make('api-keys', { key_kind: 'provision', name: HOSTILE, approval: 'required' })
  await make('views', { name: HOSTILE, columns: ['tags.floor', 'custom_fields.site'] })
  await make('invitations', { email: 'grace@example.com', role: 'viewer' })
  const login = await makeLogin(make)
  const webhook = await makeWebhook(make)
  const domain = await make('domains', { name: 'devices.example.com', purpose: 'mqtt' })
  const ids = [device.id, other.id]
  const campaign = await make('rotation-campaigns', { device_ids: ids, wave_size: 1 })
  const job = await make('jobs', {
    action: 'tag',
    device_ids: ids,
    parameters: { set: { a: HOSTILE } },
  })
  await publish(mqtt, device)
  await beClaimed(opened, device)
  await rename(opened)
  return {
    account: '',
    workspace: '',
    campaign: String(campaign.id),
    device: String(device.id),
    domain: String(domain.id),
    group: String(group.id),
    // The page says that there is none: an invoice takes a month, and has a journey of its own.
    invoice: 'inv_01jd0000000000000000000000',
    job: String(job.id),
    key: String(key.id),
    login: String(login.id),
    template: String(template.id),
    webhook: String(webhook.id),
  }
}

/** Reads below a workspace fail from now on; who one is, and where, is still known. */
const fail = (page: Page): Promise<unknown> =>
  page.route(/\/api\/v1\/(workspaces\/[^/]+\/.|auth\/sessions)/, (route) => route.fulfill(failure))

/** As a page of Billing opens the payment document; only a form of a card needs a real token. */
async function handOver(page: Page, workspaceId: string): Promise<void> {
  const workspace = { id: workspaceId, slug: 'acme', name: HOSTILE }
  const expiresAt = Date.now() + 15 * 60_000
  const handover = JSON.stringify({ token: 'none', expiresAt, workspace, invoiceId: 'inv_1' })
  await page.evaluate((text) => sessionStorage.setItem('mooring-payment', text), handover)
}

suite('every page', { skip }, () => {
  const each = async (
    { page, assertClean }: OwnerPage,
    places: readonly Place[],
    path: (place: Place) => string,
    find = faultsOf,
  ): Promise<void> => {
    const faults: string[] = []
    for (const place of places) faults.push(...(await find(page, path(place))))
    assert.deepEqual(faults, [])
    assertClean()
  }

  test('of somebody who is not signed in', async (t) => {
    const opened = await openAsOwner(t, '')
    await opened.page.context().clearCookies()
    await each(opened, publicPlaces, ({ path }) => path('acme', {} as Made))
  })

  test('of a workspace in which nothing is yet', async (t) => {
    const opened = await openAsOwner(t, '')
    const places = ownPlaces.filter(({ needsData }) => needsData !== true)
    await each(opened, places, ({ path }) => path('acme', {} as Made))
  })

  test('of a workspace full of hostile texts', async (t) => {
    const opened = await openAsOwner(t, '')
    const made = await fill(opened)
    await each(opened, ownPlaces, ({ path }) => path('acme', made))
  })

  test('of a service that fails', async (t) => {
    const opened = await openAsOwner(t, '')
    const made = await fill(opened)
    await fail(opened.page)
    await each(opened, ownPlaces, ({ path }) => path('acme', made))
  })

  test('in German', async (t) => {
    const opened = await openAsOwner(t, '')
    const { page } = opened
    await page.evaluate("localStorage.setItem('mooring-language', 'de')")
    const made = await fill(opened)
    // The samples of the components are not translated.
    const places = ownPlaces.filter(({ route }) => route !== '/kit')
    await each(opened, places, ({ path }) => path('acme', made), germanFaultsOf)
    await page.context().clearCookies()
    await each(opened, publicPlaces, ({ path }) => path('acme', made), germanFaultsOf)
  })

  test('of the document in which a person pays, in both languages', async (t) => {
    const opened = await openAsOwner(t, '')
    const { page, workspaceId } = opened
    /** Looks at each, which has to say this. */
    const look = (text: string, find = faultsOf): Promise<void> =>
      each(
        opened,
        payPlaces,
        ({ path }) => path('acme', {} as Made),
        async (_page, path) => {
          const faults = await find(page, path)
          const isSaid = await page.getByText(text, { exact: true }).isVisible()
          return isSaid ? faults : [...faults, `${path} does not say: ${text}`]
        },
      )
    await look('This page is opened from Billing')
    await handOver(page, workspaceId)
    await look('Cards cannot be used here')
    await page.evaluate("localStorage.setItem('mooring-language', 'de')")
    await look('Karten sind hier nicht möglich', germanFaultsOf)
    await page.evaluate("sessionStorage.removeItem('mooring-payment')")
    await look('Diese Seite öffnet man aus der Abrechnung', germanFaultsOf)
  })

  test('whose code is gone after an upgrade', async (t) => {
    const { page, assertClean } = await openAsOwner(t, '')
    const file = String(fileOfPage('KeyList'))
    const code = `**/console/${file}`
    await page.route(code, (route) => route.fulfill({ status: 404 }))
    await page.getByRole('link', { name: 'API keys' }).click()
    await page.getByRole('heading', { name: 'This page could not be loaded' }).waitFor()
    await page.unroute(code)
    await page.getByRole('button', { name: 'Reload' }).click()
    await page.getByRole('heading', { name: 'No keys yet' }).waitFor()
    assertClean(file)
  })
})
