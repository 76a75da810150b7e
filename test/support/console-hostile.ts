/** A workspace full of hostile texts: one of everything, wherever a text may be chosen. */
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

/** The payer, another session, and a passkey, which only an authenticator can add. */
async function fillAccount({ call, headers, workspaceId, dataDir }: OwnerPage): Promise<void> {
  const details = { name: HOSTILE, address: `${HOSTILE}\n${HOSTILE}`, tax_id: HOSTILE }
  const body = { plan_id: 'pay-as-you-go', billing_details: details }
  const path = `/workspaces/${workspaceId}/subscription`
  const chosen = await call('PUT', path, { headers, body })
  assert.equal(chosen.status, 200, chosen.text)
  const signedIn = await call('POST', '/auth/login', {
    headers: { 'user-agent': HOSTILE },
    body: OWNER,
  })
  assert.equal(signedIn.status, 200, signedIn.text)
  await withDatabase(dataDir, (query) =>
    query(
      `INSERT INTO passkeys (id, user_id, credential_id, public_key, signatures, transports, name)
       SELECT $1, id, '\\x01', '\\x01', 0, '{}', $3 FROM users WHERE email = $2`,
      [newUuid(), OWNER.email, HOSTILE],
    ),
  )
}

const makeWebhook = (make: OwnerPage['make']): Promise<Record<string, unknown>> =>
  make('webhooks', {
    url: `https://hooks.example.com/${HOSTILE_WORD}`,
    description: HOSTILE,
    types: ['device.*', 'member.removed'],
  })

async function makeLogin(make: OwnerPage['make']): Promise<Record<string, unknown>> {
  const login = await make('mqtt/principals', { name: HOSTILE, description: HOSTILE })
  const acl = { action: 'subscribe', topic: '{slug}/+/state', permission: 'allow' }
  await make(`mqtt/principals/${String(login.id)}/acls`, acl)
  const hostile = { ...acl, topic: `{slug}/${HOSTILE_WORD}` }
  await make(`mqtt/principals/${String(login.id)}/acls`, hostile)
  return login
}

/** Devices found by a text, in a view and in a group. */
async function makeFilters(make: OwnerPage['make']): Promise<Record<string, unknown>> {
  const filter = `tags.floor = "${escaped(HOSTILE)}"`
  const columns = ['device_key', 'hardware_id', 'tags.floor', 'custom_fields.site']
  await make('views', { name: HOSTILE, columns, filter })
  await make('device-groups', { name: HOSTILE })
  return make('device-groups', { name: `${HOSTILE} 2`, filter })
}

const makeTemplate = (make: OwnerPage['make']): Promise<Record<string, unknown>> =>
  make('device-templates', {
    model_key: 'tb-lite',
    name: HOSTILE,
    description: HOSTILE,
    serial_format: 'TB-%#f',
    capabilities: ['temperature', 'label'],
    capability_definitions: [
      { name: 'temperature', type: 'number', mode: 'read', unit: HOSTILE_WORD },
      {
        name: 'label',
        type: 'string',
        mode: 'read_write',
        description: HOSTILE,
        enum: [HOSTILE, 'Hall'],
        default: HOSTILE,
      },
    ],
    default_config: { [HOSTILE]: HOSTILE },
    mqtt_acl: [
      { action: 'publish', topic: '{slug}/{device_key}/state', permission: 'allow' },
      { action: 'publish', topic: '{slug}/{device_key}/config/status', permission: 'allow' },
      { action: 'publish', topic: `{slug}/{device_key}/${HOSTILE_WORD}`, permission: 'deny' },
      { action: 'subscribe', topic: '{slug}/{device_key}/cmd/#', permission: 'allow' },
    ],
  })

/** A device that shows each of its texts, and another one. */
async function makeDevices(make: OwnerPage['make'], template: unknown) {
  const options = [HOSTILE, 'hall']
  await make('custom-fields', { name: 'site', type: 'string', description: HOSTILE, options })
  const device = await make('devices', {
    device_key: 'tb-0001',
    template_id: template,
    name: HOSTILE,
    hardware_id: HOSTILE_WORD,
    tags: { floor: HOSTILE },
    custom_fields: { site: HOSTILE },
  })
  const other = await make('devices', { device_key: 'tb-0002', name: HOSTILE })
  const path = `devices/${String(device.id)}`
  await make(`${path}/notes`, { text: HOSTILE })
  await make(`${path}/commands`, { name: 'label', payload: { label: HOSTILE } })
  return { device, ids: [device.id, other.id] }
}

/** Makes one of everything. */
export async function fill(opened: OwnerPage): Promise<Made> {
  const { make, mqtt } = opened
  const template = await makeTemplate(make)
  const { device, ids } = await makeDevices(make, template.id)
  const group = await makeFilters(make)
  const key = await make('api-keys', { key_kind: 'provision', name: HOSTILE, approval: 'required' })
  await make('invitations', { email: 'grace@example.com', role: 'viewer' })
  const login = await makeLogin(make)
  const webhook = await makeWebhook(make)
  const domain = await make('domains', { name: 'devices.example.com', purpose: 'mqtt' })
  const campaign = await make('rotation-campaigns', { device_ids: ids, wave_size: 1 })
  const job = await make('jobs', {
    action: 'tag',
    device_ids: ids,
    parameters: { set: { a: HOSTILE } },
  })
  await publish(mqtt, device)
  const topic = `{slug}/{device_key}/${HOSTILE_WORD}`
  const rule = { action: 'publish', topic, permission: 'deny' }
  await make(`devices/${String(device.id)}/acls`, rule)
  await beClaimed(opened, device)
  await rename(opened)
  await fillAccount(opened)
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

/** The owner of a workspace that can be filled: also the names of its plans are hostile. */
export function openToFill(t: TestContext): Promise<OwnerPage> {
  const example = examplePlans()
  const plans = example.plans.map((plan) => ({ ...plan, name: HOSTILE }))
  const environment = {
    MOORING_PLANS_FILE: plansFile({ ...example, plans }),
    MOORING_INVOICE_SELLER: 'Mooring GmbH',
  }
  return openAsOwner(t, '', environment)
}
