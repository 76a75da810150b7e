/** A filled workspace: one of everything, and wherever a text may be chosen, one of a kind. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { connectAsync } from 'mqtt'
import { escaped } from '../../console/src/api/filter.ts'
import { newUuid } from '../../src/platform/lib/ids.ts'
import { openAsOwner, OWNER, type OwnerPage } from './console-page.ts'
import { HOSTILE, HOSTILE_WORD, type Made } from './console-places.ts'
import { withDatabase } from './invoiced-workspaces.ts'
import { examplePlans, plansFile } from './plans.ts'

type Device = Record<string, unknown>

/** Chooses each text, by the one that is usual there. */
export interface Texts {
  text: (usual: string) => string
  /** Where neither spaces nor quotation marks may be. */
  word: (usual: string) => string
}

/** Nothing of them may run. */
export const hostile: Texts = { text: () => HOSTILE, word: () => HOSTILE_WORD }

/** For people who look at the pages. */
export const usual: Texts = { text: (text) => text, word: (word) => word }

/** The credentials of a device that was just made. */
export const credentialsOf = ({ mqtt_credentials }: Device) => {
  const made = mqtt_credentials as { mqtt_username: string; mqtt_password: string }
  return { username: made.mqtt_username, password: made.mqtt_password }
}

/** As the device: once refused, and then with reports. */
async function publish(
  { mqtt }: OwnerPage,
  { text }: Texts,
  credentials: ReturnType<typeof credentialsOf>,
): Promise<void> {
  const url = `mqtt://${mqtt.host}:${mqtt.port}`
  await assert.rejects(connectAsync(url, { ...credentials, clientId: text('bench 2') }))
  const client = await connectAsync(url, { ...credentials, clientId: 'tb-0001' })
  const error = { code: text('out_of_range'), message: text('The interval is too short.') }
  const say = (topic: string, message: object) =>
    client.publishAsync(`acme/tb-0001/${topic}`, JSON.stringify(message), { qos: 1 })
  await say('state', { [text('door')]: text('closed'), temperature: 21.5 })
  await say('config/status', { rid: text('r-1'), applied: false, version: 1, error })
  await client.endAsync()
}

/** Calls the API as somebody who has a token. */
const posting =
  (call: OwnerPage['call'], token: unknown) =>
  async (path: string, body?: object): Promise<Device> => {
    const headers = { authorization: `Bearer ${String(token)}` }
    const response = await call('POST', path, { headers, ...(body && { body }) })
    assert.ok(response.status < 300, response.text)
    return response.body
  }

/** A phone with a claim under a name of its own. @returns the code that a device needs. */
export async function openClaim({ call, workspaceId }: OwnerPage, name: string): Promise<unknown> {
  const session = await call('POST', '/moid/session', {})
  const post = posting(call, session.body.access_token)
  return (await post('/moid/claims', { workspace_id: workspaceId, name })).claim_code
}

/** A phone claims a device, which answers over HTTP. */
export async function claim(opened: OwnerPage, device: Device, name: string): Promise<void> {
  const claim_code = await openClaim(opened, name)
  await posting(opened.call, device.device_http_token)('/devices/auth/bind-claim', { claim_code })
}

/** As the device, over HTTP: a command fails. */
async function failCommand({ call }: OwnerPage, { text }: Texts, device: Device): Promise<void> {
  const headers = { authorization: `Bearer ${String(device.device_http_token)}` }
  const { body } = await call('GET', '/devices/auth/commands', { headers })
  const result = { ok: false, error: text('busy'), result: { [text('reason')]: text('Updating') } }
  const path = `/devices/auth/commands/${body.items[0].id}/ack`
  await posting(call, device.device_http_token)(path, result)
}

/** The names of the person and of the workspace. */
async function rename({ call, headers, workspaceId }: OwnerPage, { text }: Texts): Promise<void> {
  const names = [
    ['/auth/me', 'Ada Lovelace'],
    [`/workspaces/${workspaceId}`, 'Acme Sensors'],
  ] as const
  for (const [path, name] of names) {
    const response = await call('PATCH', path, { headers, body: { name: text(name) } })
    assert.equal(response.status, 200, response.text)
  }
}

/** The payer, another session, and a passkey, which only an authenticator can add. */
async function fillAccount(
  { call, headers, workspaceId, dataDir }: OwnerPage,
  { text }: Texts,
): Promise<void> {
  const details = {
    name: text('Acme Sensors GmbH'),
    address: `${text('Hauptstr. 1')}\n${text('10115 Berlin')}`,
    tax_id: text('DE123456789'),
  }
  const body = { plan_id: 'pay-as-you-go', billing_details: details }
  const path = `/workspaces/${workspaceId}/subscription`
  const chosen = await call('PUT', path, { headers, body })
  assert.equal(chosen.status, 200, chosen.text)
  const signedIn = await call('POST', '/auth/login', {
    headers: { 'user-agent': text('curl/8.14.1') },
    body: OWNER,
  })
  assert.equal(signedIn.status, 200, signedIn.text)
  await withDatabase(dataDir, (query) =>
    query(
      `INSERT INTO passkeys (id, user_id, credential_id, public_key, signatures, transports, name)
       SELECT $1, id, '\\x01', '\\x01', 0, '{}', $3 FROM users WHERE email = $2`,
      [newUuid(), OWNER.email, text('Security key')],
    ),
  )
}

const makeWebhook = ({ make }: OwnerPage, { text, word }: Texts): Promise<Device> =>
  make('webhooks', {
    url: `https://hooks.example.com/${word('mooring')}`,
    description: text('Tickets of the service team'),
    types: ['device.*', 'member.removed'],
  })

async function makeLogin({ make }: OwnerPage, { text, word }: Texts): Promise<Device> {
  const login = await make('mqtt/principals', {
    name: text('Dashboard'),
    description: text('Reads what the halls report.'),
  })
  const acl = { action: 'subscribe', topic: '{slug}/+/state', permission: 'allow' }
  await make(`mqtt/principals/${String(login.id)}/acls`, acl)
  const other = { ...acl, topic: `{slug}/${word('alarms')}` }
  await make(`mqtt/principals/${String(login.id)}/acls`, other)
  return login
}

/** Devices found by a text, in a view and in a group. */
async function makeFilters({ make }: OwnerPage, { text }: Texts): Promise<Device> {
  const filter = `tags.floor = "${escaped(text('Hall 3'))}"`
  const columns = ['device_key', 'hardware_id', 'tags.floor', 'custom_fields.site']
  await make('views', { name: text('Third hall'), columns, filter })
  await make('device-groups', { name: text('Lent to customers') })
  return make('device-groups', { name: `${text('Hall 3, floor')} 2`, filter })
}

const makeTemplate = ({ make }: OwnerPage, { text, word }: Texts): Promise<Device> =>
  make('device-templates', {
    model_key: 'tb-lite',
    name: text('Thermo Box Lite'),
    description: text('Measures the air of a hall.'),
    serial_format: 'TB-%#f',
    capabilities: ['temperature', 'label'],
    capability_definitions: [
      { name: 'temperature', type: 'number', mode: 'read', unit: word('°C') },
      {
        name: 'label',
        type: 'string',
        mode: 'read_write',
        description: text('What its display says.'),
        enum: [text('Greenhouse'), 'Hall'],
        default: text('Greenhouse'),
      },
    ],
    default_config: { [text('unit')]: text('celsius') },
    mqtt_acl: [
      { action: 'publish', topic: '{slug}/{device_key}/state', permission: 'allow' },
      { action: 'publish', topic: '{slug}/{device_key}/config/status', permission: 'allow' },
      { action: 'publish', topic: `{slug}/{device_key}/${word('firmware')}`, permission: 'deny' },
      { action: 'subscribe', topic: '{slug}/{device_key}/cmd/#', permission: 'allow' },
    ],
  })

/** A device that shows each of its texts, and another one. */
async function makeDevices({ make }: OwnerPage, { text, word }: Texts, template: unknown) {
  const options = [text('Berlin'), 'hall']
  await make('custom-fields', {
    name: 'site',
    type: 'string',
    description: text('Where it stands.'),
    options,
  })
  const device = await make('devices', {
    device_key: 'tb-0001',
    template_id: template,
    name: text('Greenhouse gateway'),
    hardware_id: word('24:6F:28:AA:00:01'),
    tags: { floor: text('Hall 3') },
    custom_fields: { site: text('Berlin') },
  })
  const other = await make('devices', { device_key: 'tb-0002', name: text('Spare gateway') })
  const path = `devices/${String(device.id)}`
  await make(`${path}/notes`, { text: text('Replaced the antenna.') })
  await make(`${path}/commands`, { name: 'label', payload: { label: text('Greenhouse') } })
  return { device, ids: [device.id, other.id] }
}

/** Makes one of everything. */
export async function fill(opened: OwnerPage, texts: Texts): Promise<Made> {
  const { make } = opened
  const { text, word } = texts
  const template = await makeTemplate(opened, texts)
  const { device, ids } = await makeDevices(opened, texts, template.id)
  const group = await makeFilters(opened, texts)
  const key = await make('api-keys', {
    key_kind: 'provision',
    name: text('Factory line 1'),
    approval: 'required',
  })
  await make('invitations', { email: 'grace@example.com', role: 'viewer' })
  const login = await makeLogin(opened, texts)
  const webhook = await makeWebhook(opened, texts)
  const domain = await make('domains', { name: 'devices.example.com', purpose: 'mqtt' })
  const campaign = await make('rotation-campaigns', { device_ids: ids, wave_size: 1 })
  const job = await make('jobs', {
    action: 'tag',
    device_ids: ids,
    parameters: { set: { a: text('checked') } },
  })
  await publish(opened, texts, credentialsOf(device))
  const topic = `{slug}/{device_key}/${word('diagnostics')}`
  const rule = { action: 'publish', topic, permission: 'deny' }
  await make(`devices/${String(device.id)}/acls`, rule)
  await failCommand(opened, texts, device)
  await claim(opened, device, text('Greenhouse'))
  await rename(opened, texts)
  await fillAccount(opened, texts)
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

/** The owner of a workspace that can be filled: also the plans are named by the texts. */
export function openToFill(t: Pick<TestContext, 'after'>, { text }: Texts): Promise<OwnerPage> {
  const example = examplePlans()
  const plans = example.plans.map((plan) => ({ ...plan, name: text(plan.name) }))
  const environment = {
    MOORING_PLANS_FILE: plansFile({ ...example, plans }),
    MOORING_INVOICE_SELLER: 'Mooring GmbH',
  }
  return openAsOwner(t, '', environment)
}
