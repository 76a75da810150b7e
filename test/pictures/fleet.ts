/** The changes that make a filled workspace look like one in use, for pictures. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { connectAsync } from 'mqtt'
import { defer } from '../support/cleanup.ts'
import { claim, credentialsOf, openClaim } from '../support/console-filled.ts'
import type { OwnerPage } from '../support/console-page.ts'
import type { Made } from '../support/console-places.ts'
import {
  makeInvoices,
  planOfAcme,
  type Query,
  useOfAcme,
  withDatabase,
} from '../support/invoiced-workspaces.ts'
import { examplePlans } from '../support/plans.ts'
import { until } from '../support/until.ts'

type Cleanup = Pick<TestContext, 'after'>
type Device = Record<string, unknown>

const CONNECTED = 12
const DEVICES = 60

const MODELS = [
  { model_key: 'air-monitor', name: 'Air monitor', serial_format: 'AM-%#f', what: 'Air monitor' },
  { model_key: 'pump-2', name: 'Pump control 2', serial_format: 'P2-%#f', what: 'Pump' },
]

const modelOf = (number: number) => MODELS[number % 3 === 0 ? 1 : 0] as (typeof MODELS)[number]

/** A row of an import. */
function deviceOf(number: number) {
  const hall = (number % 5) + 1
  const { model_key, serial_format, what } = modelOf(number)
  return {
    device_key: serial_format.replace('%#f', String(number).padStart(4, '0')).toLowerCase(),
    model_key,
    name: `${what}, hall ${hall}, bay ${Math.ceil(number / 5)}`,
    tags: { floor: `Hall ${hall}`, line: number % 2 === 0 ? 'north' : 'south' },
    custom_fields: { site: 'Berlin', battery_v: 3 + (number % 8) / 10 },
  }
}

/** The templates and the devices. @returns the first ones, whose credentials are known. */
async function makeDevices({ make, send }: OwnerPage): Promise<Device[]> {
  const ids = new Map<string, unknown>()
  for (const { what: _what, ...model } of MODELS) {
    const mqtt_acl = [
      { action: 'publish', topic: '{slug}/{device_key}/state', permission: 'allow' },
      { action: 'subscribe', topic: '{slug}/{device_key}/cmd/#', permission: 'allow' },
    ]
    ids.set(model.model_key, (await make('device-templates', { ...model, mqtt_acl })).id)
  }
  await make('custom-fields', { name: 'battery_v', type: 'number', description: 'In volts' })
  const known: Device[] = []
  for (let number = 1; number <= CONNECTED + 2; number += 1) {
    const { model_key, ...device } = deviceOf(number)
    known.push(await make('devices', { ...device, template_id: ids.get(model_key) }))
  }
  const rows: string[] = []
  for (let number = CONNECTED + 3; number <= DEVICES; number += 1) {
    rows.push(`${JSON.stringify(deviceOf(number))}\n`)
  }
  await send('devices/import', rows.join(''))
  return known
}

/** They stay connected to the end, and one more has a wrong password. */
async function connect(t: Cleanup, { mqtt }: OwnerPage, devices: Device[]): Promise<void> {
  const url = `mqtt://${mqtt.host}:${mqtt.port}`
  for (const [at, device] of devices.slice(0, CONNECTED).entries()) {
    const key = String(device.device_key)
    const client = await connectAsync(url, { ...credentialsOf(device), clientId: key })
    defer(t, () => client.endAsync(true))
    const state = { temperature: 18 + at / 2, humidity: 40 + at, battery_v: 3 + at / 20 }
    await client.publishAsync(`acme/${key}/state`, JSON.stringify(state), { qos: 1 })
  }
  const refused = { ...credentialsOf(devices[CONNECTED] as Device), password: 'not-the-password' }
  await assert.rejects(connectAsync(url, refused))
}

/** Devices that wait for an approval. */
async function provision({ call, make }: OwnerPage, { template }: Made): Promise<void> {
  const body = { key_kind: 'provision', name: 'Factory line 2', approval: 'required' }
  const headers = { 'service-auth-code': String((await make('api-keys', body)).key) }
  for (const number of [1, 2, 3]) {
    const wanted = { template_id: template, hardware_id: `24:6F:28:AA:01:0${number}` }
    const response = await call('POST', '/provision/device', { headers, body: wanted })
    assert.ok(response.status < 300, response.text)
  }
}

/** Commands, claims, and a device that is suspended. */
async function useDevices(opened: OwnerPage, devices: Device[]): Promise<void> {
  const { make } = opened
  for (const [at, name] of ['reboot', 'identify', 'calibrate', 'reboot'].entries()) {
    await make(`devices/${String(devices[at]?.id)}/commands`, { name, payload: { delay_s: at } })
  }
  await claim(opened, devices[3] as Device, 'Office air')
  await claim(opened, devices[4] as Device, 'Workshop')
  await openClaim(opened, 'Cellar')
  await make(`devices/${String(devices[CONNECTED + 1]?.id)}/suspend`, {})
  for (const [email, role] of [
    ['barbara@example.com', 'admin'],
    ['edsger@example.com', 'member'],
  ]) {
    await make('invitations', { email, role })
  }
}

/** Members, and the usage of three weeks: the API could add neither in a moment. */
async function addHistory(query: Query): Promise<void> {
  await query(
    `WITH made AS (
       INSERT INTO users (id, email, name, password_hash)
       VALUES (gen_random_uuid(), 'katherine@example.com', 'Katherine Johnson', '!'),
              (gen_random_uuid(), 'dennis@example.com', 'Dennis Ritchie', '!') RETURNING id, name)
     INSERT INTO memberships (workspace_id, user_id, role)
     SELECT w.id, made.id, CASE WHEN made.name LIKE 'K%' THEN 'admin' ELSE 'viewer' END
     FROM made, workspaces w WHERE w.slug = 'acme'`,
  )
  await query(`WITH hours AS (
      SELECT id, date_trunc('hour', now(), 'UTC') - n * interval '1 hour' AS hour,
        900 + n * 37 % 500 AS messages, 20 + n * 7 % 30 AS calls, 9 + n % 24 / 8 AS devices, n
      FROM workspaces, generate_series(0, 500) AS n WHERE slug = 'acme'),
    samples AS (
      INSERT INTO connected_samples
      SELECT id, hour + m * interval '5 minutes', devices FROM hours, generate_series(0, 11) AS m
      WHERE n < 25 AND hour + m * interval '5 minutes' < now() ON CONFLICT DO NOTHING)
    INSERT INTO usage_hours
    SELECT id, hour, '00000000-0000-0000-0000-000000000000'::uuid, messages, messages * 180,
      calls, 0 FROM hours
    UNION ALL
    SELECT id, hour, 'ffffffff-ffff-ffff-ffff-ffffffffffff', 0, 0, 0, devices FROM hours
    ON CONFLICT DO NOTHING`)
  await query(useOfAcme)
  await query(planOfAcme, [JSON.stringify(examplePlans().plans[1])])
  await makeInvoices(query)
}

/** A job takes a moment: one that has ended has never come further than to its middle. */
const haltJob = `WITH halted AS (
    UPDATE jobs SET status = 'running', ended_at = NULL, succeeded = succeeded / 2
    WHERE action = 'command' RETURNING id, succeeded),
  items AS (
    SELECT job_id, device_id, row_number() OVER (ORDER BY device_id) > succeeded AS is_undone
    FROM job_items JOIN halted ON job_id = halted.id),
  gone AS (
    DELETE FROM device_commands c USING items i
    WHERE i.is_undone AND (c.job_id, c.device_id) = (i.job_id, i.device_id))
  UPDATE job_items j SET status = 'pending', ended_at = NULL FROM items i
  WHERE i.is_undone AND (j.job_id, j.device_id) = (i.job_id, i.device_id)`

async function runJob({ make, dataDir, ...owner }: OwnerPage): Promise<string> {
  const body = {
    action: 'command',
    parameters: { name: 'identify' },
    filter: 'status = registered',
  }
  const id = String((await make('jobs', body)).id)
  const path = `/workspaces/${owner.workspaceId}/jobs/${id}`
  await until('the job has ended', async () => {
    const { body: job } = await owner.call('GET', path, { headers: owner.headers })
    return job.ended_at !== null
  })
  await withDatabase(dataDir, (query) => query(haltJob))
  return id
}

/** @returns what is to be looked at, of which some is new. */
export async function addFleet(t: Cleanup, opened: OwnerPage, made: Made): Promise<Made> {
  const { call, headers, workspaceId, dataDir } = opened
  await withDatabase(dataDir, addHistory)
  const devices = await makeDevices(opened)
  await connect(t, opened, devices)
  await provision(opened, made)
  await useDevices(opened, devices)
  const job = await runJob(opened)
  const invoice = await until('there is an invoice', async () => {
    const { body } = await call('GET', `/workspaces/${workspaceId}/invoices`, { headers })
    return body.items.find(({ status }: Device) => status === 'open')?.id as string | undefined
  })
  return { ...made, invoice, job }
}
