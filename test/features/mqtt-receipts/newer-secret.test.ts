/** A newer secret ends the sessions that began with an older one, on brokers elsewhere too. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { as, startApp } from '../../support/app.ts'
import { API_KEY, type EmqxClient, startEmqxServer } from '../../broker/emqx/emqx-server.ts'
import { defer } from '../../support/cleanup.ts'
import { registerDevice } from '../../support/commands.ts'
import { connectDevice } from '../../support/mqtt.ts'
import { until } from '../../support/until.ts'

const session = (clientid: string, username: string, begunMs: number): EmqxClient => ({
  clientid,
  username,
  node: 'emqx@one',
  connected: true,
  connected_at: new Date(begunMs).toISOString(),
  ip_address: '10.0.0.1',
  proto_ver: 5,
})

test('the first CONNECT with a rotated secret ends the older session, and no other', async (t) => {
  const server = await startEmqxServer('6.2')
  const folder = mkdtempSync(join(tmpdir(), 'mooring-newer-'))
  const file = join(folder, 'brokers.json')
  const admin = { ...API_KEY, url: server.url }
  const hook_secrets = ['a-secret-of-the-hooks-0123456789abcdef']
  const entry = { name: 'elsewhere', kind: 'emqx', hook_secrets, admin }
  writeFileSync(file, JSON.stringify({ brokers: [entry] }), { mode: 0o600 })
  const app = await startApp(t, { environment: { MOORING_BROKERS_FILE: file } })
  defer(t, () => rmSync(folder, { recursive: true }))
  defer(t, () => server.stop())
  const { device_id: id, device_http_token: token } = await registerDevice(app)
  const rotated = await app.call('POST', '/devices/auth/credentials/rotate', {
    as: as.device(token),
    body: {},
  })
  const { mqtt_password } = rotated.body
  const [old, late] = [id, `${id}:late`]
  server.clients.set(old, session(old, id, Date.now() - 60_000))
  server.clients.set(late, session(late, id, Date.now() + 60_000))
  await connectDevice(t, { device_id: id, mqtt_password, mqtt_port: app.app.ports.mqtt })
  await until('the older session ends', () => !server.clients.has(old))
  assert.deepEqual([...server.clients.keys()], [late])
  assert.ok(server.calls.some((call) => call.path === '/authentication/node_cache/reset'))
})
