/** Events come to webhooks: each of them, in the order of its device, whatever receivers do. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { formatId } from '../../../../src/platform/lib/ids.ts'
import { useTenants } from '../../../support/suite-app.ts'
import { until } from '../../../support/until.ts'
import {
  eventsOf,
  newDevices,
  numbersByDevice,
  publish,
  startReceiver,
  toReceivers,
  webhooksOf,
} from '../../../support/webhook-receiver.ts'

const freshTenants = useTenants({
  environment: { ...toReceivers, MOORING_WEBHOOK_RETRY_S: '0.2,0.3,0.3,0.5,1,2,4,8,86400' },
})

test('every event comes once, in the order of its device, signed by both secrets', async (t) => {
  const app = await freshTenants(t)
  const { send, make } = webhooksOf(app)
  const { url, got } = await startReceiver(t, () => 200)
  const { id, secret: old } = await make({ url, types: ['device.*'] })
  const { secret } = (await send('POST', `/${id}/rotate-secret`, {})).body
  const [first = '', ...devices] = newDevices(21)
  // Anyone who sends already hears of the new secret a moment later.
  await until('both sign', async () => {
    await publish(app, [{ device: first, n: 0 }])
    return got.some(({ headers }) => String(headers['webhook-signature']).includes(' '))
  })
  const ours = () => got.filter(({ device }) => device !== formatId('dev', first))
  await publish(app, eventsOf(devices, 20))
  await until('all have come', () => ours().length >= 400)
  for (const each of numbersByDevice(ours()).values()) {
    assert.deepEqual(each, [...Array(20).keys()])
  }
  assert.equal(ours().length, 400)
  for (const { headers, body } of ours()) {
    for (const each of [old, secret]) {
      new Webhook(each).verify(body, headers as Record<string, string>)
    }
  }
})

test('a failing event delays only its own device, until it is accepted', async (t) => {
  const app = await freshTenants(t)
  const { make } = webhooksOf(app)
  const [bad = '', ...good] = newDevices(8)
  const name = formatId('dev', bad)
  let tries = 0
  const { url, got } = await startReceiver(t, ({ device, n }, all) => {
    if (device !== name || n !== 1) return 200
    tries += 1
    // Whatever waited for it would never come.
    const others = all.filter((each) => each.device !== name).length
    return tries <= 2 || others < good.length * 10 ? 500 : 200
  })
  await make({ url, types: ['device.*'] })
  await publish(app, eventsOf([bad, ...good], 10))
  await until('all have come', () => numbersByDevice(got).get(name)?.at(-1) === 9)
  const numbers = numbersByDevice(got)
  const again = Array<number>(tries).fill(1)
  assert.deepEqual(numbers.get(name), [0, ...again, 2, 3, 4, 5, 6, 7, 8, 9])
  for (const device of good) assert.equal(numbers.get(formatId('dev', device))?.length, 10)
  const last = got.findLastIndex(({ device, n }) => device !== name && n === 9)
  assert.ok(
    last < got.findIndex(({ device, n }) => device === name && n === 2),
    'no delivery waits',
  )
})

test('a receiver that is away is tried with one at a time, and is sent all when it is back', async (t) => {
  const app = await freshTenants(t)
  const { make } = webhooksOf(app)
  let isBack = false
  const dead = await startReceiver(t, () => (isBack ? 204 : undefined))
  const live = await startReceiver(t, () => 204)
  await make({ url: dead.url, types: ['device.*'] })
  await make({ url: live.url, types: ['device.*'] })
  await publish(app, eventsOf(newDevices(50), 30))
  await until('the other receiver has all', () => live.got.length >= 1_500)
  assert.ok(dead.got.length < 40, `the dead receiver gets ${dead.got.length} requests`)
  const tried = dead.got.length
  isBack = true
  const taken = new Set<string>()
  await until('all have come', () => {
    for (const { id } of dead.got.slice(tried)) taken.add(id)
    return taken.size >= 1_500
  })
  for (const numbers of numbersByDevice(dead.got.slice(tried)).values()) {
    assert.deepEqual(numbers, [...Array(30).keys()])
  }
  assert.equal(live.got.length, 1_500)
})
