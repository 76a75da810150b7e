/** Where clients connect: on every port that listens, with the address as they have to write it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { as, startApp, type TestApp } from '../../../support/app.ts'

const read = async ({ call, seed }: TestApp) =>
  (
    await call('GET', `/workspaces/${seed.id}/mqtt/endpoints`, {
      as: as.platformKey(seed.platformKey),
    })
  ).body

test('the endpoints show where to connect, and how soon a revocation takes effect there', async (t) => {
  const app = await startApp(t)
  const port = app.app.ports.mqtt
  assert.deepEqual((await read(app)).items, [
    {
      broker: 'embedded',
      kind: 'embedded',
      revoke_bound_s: 1,
      keeps_passwords: false,
      endpoints: [
        { protocol: 'mqtt', host: '127.0.0.1', port, path: null, url: `mqtt://127.0.0.1:${port}` },
      ],
    },
  ])
})

test('an address of IPv6 is in brackets, and a WebSocket has its path', async (t) => {
  const environment = { MOORING_MQTT_PUBLIC_HOST: '2001:db8::7', MOORING_MQTT_WS_PORT: '0' }
  const app = await startApp(t, { environment })
  const [{ endpoints }] = (await read(app)).items
  const { mqtt, ws } = app.app.ports
  assert.deepEqual(
    endpoints.map(({ url, host }: { url: string; host: string }) => [host, url]),
    [
      ['2001:db8::7', `mqtt://[2001:db8::7]:${mqtt}`],
      ['2001:db8::7', `ws://[2001:db8::7]:${ws}/mqtt`],
    ],
  )
})
