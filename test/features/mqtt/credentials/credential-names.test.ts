/** A password has the same name in all responses: that of provisioning. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { as, type CallResult } from '../../../support/app.ts'
import { connectDevice } from '../../../support/mqtt.ts'
import { useTenants } from '../../../support/suite-app.ts'

const freshTenants = useTenants()

const NAMES = ['mqtt_username', 'mqtt_password', 'mqtt_host', 'mqtt_port', 'mqtt_tls'] as const

type Members = Record<string, unknown>

test('every response with mqtt_credentials names them as provisioning does, and as before', async (t) => {
  const app = await freshTenants(t)
  const { id, platformKey, provisionKey, template } = app.seed
  const send = (path: string, body?: unknown, headers = {}): Promise<CallResult> =>
    app.call('POST', `/workspaces/${id}${path}`, {
      as: as.platformKey(platformKey),
      headers,
      ...(body !== undefined && { body }),
    })
  const provisioned = await app.call('POST', '/provision/device', {
    as: as.factory(provisionKey),
    body: { template_id: template.id },
  })
  const device = await send('/devices', { device_key: 'names-1', template_id: template.id })
  const principal = await send('/mqtt/principals', { name: 'names' })
  const imported = await send(
    '/devices/import?credentials=true',
    `${JSON.stringify({ device_key: 'names-2' })}\n`,
    { 'content-type': 'application/x-ndjson' },
  )
  const responses = [
    device.body,
    (await send(`/devices/${device.body.id}/credentials/reset`)).body,
    principal.body,
    (await send(`/mqtt/principals/${principal.body.id}/credentials/reset`)).body,
    (await send(`/mqtt/principals/${principal.body.id}/credentials/rotate`)).body,
    JSON.parse(imported.text.split('\n')[0] as string),
  ] as { mqtt_credentials: Members }[]
  for (const { mqtt_credentials: shown } of responses) {
    for (const name of NAMES) {
      assert.equal(typeof shown[name], typeof provisioned.body[name], name)
      assert.equal(shown[name], shown[name.replace('mqtt_', '')], name)
    }
    for (const name of ['mqtt_host', 'mqtt_port', 'mqtt_tls']) {
      assert.equal(shown[name], provisioned.body[name], name)
    }
  }
  const login = responses[1]?.mqtt_credentials as Members
  await connectDevice(t, {
    device_id: login.mqtt_username as string,
    mqtt_password: login.mqtt_password as string,
    mqtt_port: login.mqtt_port as number,
  })
})
