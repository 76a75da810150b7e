/** A device without MQTT fetches its commands and answers them over HTTP. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { as, type CallResult, type TestApp } from '../../../support/app.ts'
import { awaitEnd, type Fleet, registerDevice, sendCommand } from '../../../support/commands.ts'
import { useTenants } from '../../../support/suite-app.ts'

const freshTenants = useTenants()

const fetchOpen = async (app: TestApp, device: Fleet): Promise<{ id: string }[]> => {
  const response = await app.call('GET', '/devices/auth/commands', {
    as: as.device(device.device_http_token),
  })
  assert.equal(response.status, 200, response.text)
  return response.body.items
}

const acknowledge = (
  app: TestApp,
  device: Fleet,
  id: string,
  body: unknown = { ok: true },
): Promise<CallResult> =>
  app.call('POST', `/devices/auth/commands/${id}/ack`, {
    as: as.device(device.device_http_token),
    body,
  })

test('fetched commands stay in the response until they have a result', async (t) => {
  const app = await freshTenants(t)
  const device = await registerDevice(app)
  const first = await sendCommand(app, device, { name: 'a', payload: { x: 1 } })
  assert.deepEqual(await fetchOpen(app, device), [
    {
      id: first.id,
      name: 'a',
      payload: { x: 1 },
      issued_at: first.created_at,
      expires_at: first.expires_at,
    },
  ])
  const second = await sendCommand(app, device, { name: 'b' })
  const open = await Promise.all(Array.from({ length: 5 }, () => fetchOpen(app, device)))
  for (const items of open) {
    assert.deepEqual(
      items.map(({ id }) => id),
      [first.id, second.id],
    )
  }
  const responded = await acknowledge(app, device, first.id, { ok: true, result: [1] })
  assert.deepEqual(responded.body, { id: first.id, status: 'acknowledged' })
  assert.deepEqual((await awaitEnd(app, device, first.id)).result, [1])
  assert.deepEqual(
    (await fetchOpen(app, device)).map(({ id }) => id),
    [second.id],
  )
})

test('one of many concurrent results counts, and all callers receive it', async (t) => {
  const app = await freshTenants(t)
  const device = await registerDevice(app)
  const { id } = await sendCommand(app, device)
  await fetchOpen(app, device)
  const responses = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      acknowledge(app, device, id, index % 2 ? { ok: true } : { ok: false, error: `e${index}` }),
    ),
  )
  const { status } = await awaitEnd(app, device, id)
  for (const response of responses) {
    assert.equal(response.status, 200, response.text)
    assert.equal(response.body.status, status)
  }
})

test('a command that was not sent, or is of another device, is not answered', async (t) => {
  const app = await freshTenants(t)
  const device = await registerDevice(app)
  const other = await registerDevice(app)
  const { id } = await sendCommand(app, device)
  const early = await acknowledge(app, device, id)
  assert.equal(early.status, 409)
  assert.match(early.body.detail, /^The command is pending; /)
  await fetchOpen(app, device)
  assert.equal((await acknowledge(app, other, id)).body.code, 'command_not_found')
  const big = { ok: true, result: 'x'.repeat(17_000) }
  assert.equal((await acknowledge(app, device, id, big)).body.code, 'invalid_request')
  assert.equal((await acknowledge(app, device, id, { ok: 'yes' })).body.code, 'invalid_request')
  assert.equal((await acknowledge(app, device, id)).status, 200)
})
