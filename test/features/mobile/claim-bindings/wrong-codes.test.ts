/** Guessing claim codes: five wrong ones in ten minutes, then a device has to wait. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { startApp, type TestApp } from '../../../support/app.ts'
import { newDevices, newPhone, openClaim, statuses } from '../../../support/phones-and-devices.ts'

const limits = { MOORING_RATE_LIMITS: 'on', MOORING_LIMIT_WRITE: '10000' }
const wrongCode = (at: number): string => `pc_${String(at).padStart(10, '0')}`

/** Both places where limits can be counted. */
const stores = ['memory', 'database'] as const

async function start(t: Parameters<typeof startApp>[0], store: string): Promise<TestApp> {
  return startApp(t, { environment: { ...limits, MOORING_RATE_LIMIT_STORE: store } })
}

for (const store of stores) {
  describe(`wrong claim codes, counted in ${store}`, () => {
    test('after five wrong codes not even the right one is checked', async (t) => {
      const app = await start(t, store)
      const [device, other] = await newDevices(app, 2)
      assert.ok(device && other)
      const claim = await openClaim(app, await newPhone(app))
      for (let at = 0; at < 5; at += 1) {
        assert.equal((await device.bind(wrongCode(at))).status, 404)
      }
      const refused = await device.bind(claim.code)
      assert.equal(refused.status, 429)
      assert.equal(refused.body.code, 'rate_limited')
      assert.equal(refused.body.limit.name, 'claim')
      assert.ok(Number(refused.headers['retry-after']) > 0)
      assert.equal((await other.bind(claim.code)).status, 200)
    })

    test('sixty wrong codes at once are five tries', async (t) => {
      const app = await start(t, store)
      const [device] = await newDevices(app, 1)
      assert.ok(device)
      const responses = await Promise.all(
        Array.from({ length: 60 }, (_, at) => device.bind(wrongCode(at))),
      )
      assert.deepEqual(statuses(responses), { 404: 5, 429: 55 })
    })

    test('right codes, repeated codes and malformed ones are no tries', async (t) => {
      const app = await start(t, store)
      const [device] = await newDevices(app, 1)
      assert.ok(device)
      for (let at = 0; at < 8; at += 1) assert.equal((await device.bind('pc_')).status, 400)
      const claim = await openClaim(app, await newPhone(app))
      const responses = await Promise.all(Array.from({ length: 20 }, () => device.bind(claim.code)))
      assert.deepEqual(statuses(responses), { 200: 20 })
    })
  })
}
