/** Webhooks of the service are verified; anything else is refused. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { verifyWebhook, WebhookError } from '../../sdk/webhooks.ts'
import { newUuid } from '../../src/platform/lib/ids.ts'
import { useTenants } from '../support/suite-app.ts'
import { until } from '../support/until.ts'
import { publish, startReceiver, toReceivers, webhooksOf } from '../support/webhook-receiver.ts'

const freshTenants = useTenants({ environment: toReceivers })

test('a delivery is verified by the old and the new secret, and not by another', async (t) => {
  const app = await freshTenants(t)
  const { send, make } = webhooksOf(app)
  const { url, got } = await startReceiver(t, () => 200)
  const { id, secret: old } = await make({ url, types: ['device.*'] })
  const { secret: outsider } = await make({ url, types: ['webhook.*'] })
  const { secret } = (await send('POST', `/${id}/rotate-secret`, {})).body
  const [first] = await until('both sign', async () => {
    await publish(app, [{ device: newUuid(), n: 1 }])
    const signed = got.filter(({ headers }) => String(headers['webhook-signature']).includes(' '))
    return signed.length > 0 && signed
  })
  const { headers, body } = first ?? assert.fail()
  for (const each of [old, secret, [outsider, secret]]) {
    const event = await verifyWebhook({ secret: each, headers, body })
    assert.equal(event.id, first?.id)
  }
  const asHeaders = new Headers(headers as Record<string, string>)
  const bytes = new TextEncoder().encode(body)
  assert.equal((await verifyWebhook({ secret, headers: asHeaders, body: bytes })).data['n'], 1)
  await assert.rejects(verifyWebhook({ secret: outsider, headers, body }), WebhookError)
})

const secret = `whsec_${btoa('0123456789abcdef0123456789abcdef')}`

function signed(body: string, at = new Date()) {
  const id = 'evt_1'
  const headers: Record<string, string> = {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign(id, at, body),
  }
  return { secret, headers, body }
}

test('a request of another implementation of the specification is verified', async () => {
  const body = '{"id":"evt_1","type":"ü"}'
  assert.equal((await verifyWebhook(signed(body))).type, 'ü')
})

test('a request that was changed, is old or has no signature is refused', async () => {
  const good = signed('{"id":"evt_1"}')
  const without = (name: string) =>
    Object.fromEntries(Object.entries(good.headers).filter(([each]) => each !== name))
  const bad = [
    { ...good, body: '{"id":"evt_2"}' },
    { ...good, headers: { ...good.headers, 'webhook-id': 'evt_2' } },
    { ...good, headers: { ...good.headers, 'webhook-timestamp': '1e9' } },
    { ...good, headers: { ...good.headers, 'webhook-signature': 'v1,%%% v2,abc v1,' } },
    signed(good.body, new Date(Date.now() - 301_000)),
    signed(good.body, new Date(Date.now() + 310_000)),
    ...Object.keys(good.headers).map((name) => ({ ...good, headers: without(name) })),
  ]
  for (const each of bad) await assert.rejects(verifyWebhook(each), WebhookError)
  const old = signed(good.body, new Date(Date.now() - 301_000))
  assert.equal((await verifyWebhook({ ...old, toleranceSeconds: 3600 })).id, 'evt_1')
})
