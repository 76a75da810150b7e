/** Firmware that has stored a bare UUID is understood as if it had sent the public id. */
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { parseId } from '../../../../src/platform/lib/ids.ts'
import { as, type CallResult, type TestApp } from '../../../support/app.ts'
import { connectDevice } from '../../../support/mqtt.ts'
import { useTenants } from '../../../support/suite-app.ts'
import { until } from '../../../support/until.ts'

const factory = ({ call, seed }: TestApp) => ({
  provision: (body: object, headers = {}): Promise<CallResult> =>
    call('POST', '/provision/device', { as: as.factory(seed.provisionKey), body, headers }),
})

suite('a bare UUID', () => {
  const fresh = useTenants()

  test('names the workspace and template of a registration, and the device of a rotation', async (t) => {
    const app = await fresh(t)
    const { provision } = factory(app)
    const { uuid, template } = app.seed
    const made = await provision({ workspace_id: uuid, template_id: template.uuid })
    assert.equal(made.status, 201, made.text)
    assert.match(made.body.device_id, /^dev_/)
    const device = parseId('dev', made.body.device_id) as string
    for (const device_id of [device, device.toUpperCase(), made.body.device_id]) {
      const { device_key } = made.body
      const rotated = await provision({ workspace_id: uuid.toUpperCase(), device_id, device_key })
      assert.equal(rotated.status, 200, rotated.text)
      assert.equal(rotated.body.device_id, made.body.device_id)
      await connectDevice(t, rotated.body)
    }
    const list = await app.call('GET', `/provision/device-templates?workspace_id=${uuid}`, {
      as: as.factory(app.seed.provisionKey),
    })
    assert.deepEqual([list.status, list.body.items[0].id], [200, template.id])
    // Transactions of other tests on the same server delay the feed.
    const event = await until('the feed has the registration', async () => {
      const { body } = await app.call('GET', `/workspaces/${app.seed.id}/events`, {
        as: as.platformKey(app.seed.platformKey),
      })
      return body.items[0]
    })
    assert.equal(event.data.template_id, template.id)
  })

  test('is the same request as the public id, to anyone who repeats it', async (t) => {
    const app = await fresh(t)
    const { provision } = factory(app)
    const { uuid, template } = app.seed
    const headers = { 'idempotency-key': 'of-one-request' }
    const first = await provision({ workspace_id: uuid, template_id: template.uuid }, headers)
    assert.equal(first.status, 201, first.text)
    const body = { workspace_id: app.seed.id, template_id: template.id }
    const again = await provision(body, headers)
    assert.deepEqual([again.status, again.text], [first.status, first.text])
    assert.equal(again.headers['idempotent-replayed'], 'true')
  })

  test('of many calls at once in either way, registers one device', async (t) => {
    const app = await fresh(t)
    const { provision } = factory(app)
    const { template } = app.seed
    const responses = await Promise.all(
      Array.from({ length: 40 }, (_none, at) =>
        provision({
          template_id: at % 2 === 0 ? template.uuid : template.id,
          hardware_id: 'chip-1',
        }),
      ),
    )
    const devices = new Set(responses.map(({ body }) => body.device_id))
    assert.equal(devices.size, 1, responses.map(({ text }) => text).join('\n'))
  })

  test('is taken in the rows of a stream', async (t) => {
    const app = await fresh(t)
    const { uuid, template, provisionKey } = app.seed
    const known = await factory(app).provision({ template_id: template.id })
    const rows = [
      { workspace_id: uuid, template_id: template.uuid },
      { device_id: parseId('dev', known.body.device_id) },
    ]
    const { text } = await app.call('POST', '/provision/devices', {
      as: as.factory(provisionKey),
      headers: { 'content-type': 'application/x-ndjson' },
      body: rows.map((row) => `${JSON.stringify(row)}\n`).join(''),
    })
    const results = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    assert.deepEqual(
      results.map(({ status }: { status: number }) => status),
      [201, 200],
    )
    assert.equal(results[1].device_id, known.body.device_id)
  })

  test('names a command that a device has done', async (t) => {
    const app = await fresh(t)
    const { body: device } = await factory(app).provision({ template_id: app.seed.template.id })
    const path = `/workspaces/${app.seed.id}/devices/${device.device_id}/commands`
    const credential = { as: as.platformKey(app.seed.platformKey) }
    const command = await app.call('POST', path, { ...credential, body: { name: 'reboot' } })
    const uuid = parseId('cmd', command.body.id) as string
    const own = { as: as.device(device.device_http_token) }
    await app.call('GET', '/devices/auth/commands', own)
    const done = await app.call('POST', `/devices/auth/commands/${uuid}/ack`, {
      ...own,
      body: { ok: true },
    })
    assert.equal(done.status, 200, done.text)
    const { body } = await app.call('GET', `${path}/${command.body.id}`, credential)
    assert.equal(body.status, 'acknowledged')
  })

  test('of another workspace is refused like its public id, and elsewhere no id at all', async (t) => {
    const app = await fresh(t)
    const { provision } = factory(app)
    const { other, template } = app.seed
    const strange = [
      { workspace_id: other.uuid, template_id: template.uuid },
      { template_id: other.template.uuid },
      { device_id: other.template.uuid },
    ]
    const codes = await Promise.all(strange.map(async (body) => (await provision(body)).body.code))
    assert.deepEqual(codes, ['key_scope_denied', 'template_not_found', 'device_not_found'])
    for (const id of [
      `{${template.uuid}}`,
      template.uuid.replaceAll('-', ''),
      `${template.uuid} `,
    ]) {
      const { status, body } = await provision({ template_id: id })
      assert.deepEqual([status, body.errors[0].pointer], [400, '/template_id'])
    }
    const staff = await app.call(
      'GET',
      `/workspaces/${app.seed.id}/device-templates/${template.uuid}`,
      { as: as.platformKey(app.seed.platformKey) },
    )
    assert.deepEqual([staff.status, staff.body.code], [404, 'template_not_found'])
  })
})
