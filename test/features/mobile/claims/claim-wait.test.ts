/** GET /moid/claims/{claim_id}?wait=: the response comes when the claim changes, not later. */
import assert from 'node:assert/strict'
import { describe, test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { as, startApp, type TestApp } from '../../../support/app.ts'
import { newDevice, newPhone, openClaim } from '../../../support/phones-and-devices.ts'
import { useTenants } from '../../../support/suite-app.ts'
import { until } from '../../../support/until.ts'

const freshTenants = useTenants()

/** Resolves to the response and how long it took in milliseconds. */
async function timed<T>(work: Promise<T>): Promise<[T, number]> {
  const since = performance.now()
  return [await work, performance.now() - since]
}

/** Reports when somebody waits for the change of a claim, and the outcome of the first wait. */
function watchWaits(t: TestContext, { services: { feed } }: TestApp) {
  const nextChange = feed.nextChange.bind(feed)
  const ended = Promise.withResolvers<boolean>()
  let waits = 0
  t.mock.method(feed, 'nextChange', async (...args: Parameters<typeof nextChange>) => {
    waits += 1
    const changed = await nextChange(...args)
    ended.resolve(changed)
    return changed
  })
  return {
    begun: (count = 1) => until(`${count} wait`, () => waits >= count),
    ended: ended.promise,
  }
}

describe('waiting for a claim', () => {
  test('ends when a device binds it, through whichever process', async (t) => {
    const app = await freshTenants(t)
    const sibling = await app.sibling()
    const phone = await newPhone(app)
    const waits = watchWaits(t, app)
    let turn = 0
    for (const through of [app, sibling]) {
      const device = await newDevice(app)
      const claim = await openClaim(app, phone)
      const waiting = phone.call('GET', `/moid/claims/${claim.id}?wait=30`)
      await waits.begun((turn += 1))
      const bind = through.call('POST', '/devices/auth/bind-claim', {
        as: as.device(device.token),
        body: { claim_code: claim.code },
      })
      const [[response, took], bound] = await Promise.all([timed(waiting), bind])
      assert.equal(bound.status, 200)
      assert.equal(response.body.status, 'bound')
      assert.equal(response.body.device_id, device.id)
      // Far below the thirty seconds; how fast is not what is tested here.
      assert.ok(took < 25_000, `${took} ms`)
    }
  })

  test('ends when the phone cancels it, and when it expires', async (t) => {
    const app = await freshTenants(t)
    const phone = await newPhone(app)
    const cancelled = await openClaim(app, phone)
    const waits = watchWaits(t, app)
    const waiting = phone.call('GET', `/moid/claims/${cancelled.id}?wait=30`)
    await waits.begun()
    await phone.call('DELETE', `/moid/claims/${cancelled.id}`)
    assert.equal((await waiting).body.status, 'cancelled')
    const late = await openClaim(app, phone)
    await app.database.pool.query(
      `UPDATE claims SET expires_at = now() + interval '700 milliseconds' WHERE id = $1`,
      [late.uuid],
    )
    const [response, took] = await timed(phone.call('GET', `/moid/claims/${late.id}?wait=30`))
    assert.equal(response.body.status, 'expired')
    assert.ok(took < 25_000, `${took} ms`)
  })

  test('answers with the open claim when the time is over', async (t) => {
    const app = await freshTenants(t)
    const phone = await newPhone(app)
    const claim = await openClaim(app, phone)
    const [response, took] = await timed(phone.call('GET', `/moid/claims/${claim.id}?wait=1`))
    assert.equal(response.status, 200)
    assert.equal(response.body.status, 'open')
    assert.ok(took >= 990, `${took} ms`)
    const bound = await openClaim(app, phone)
    await (await newDevice(app)).bind(bound.code)
    const done = await phone.call('GET', `/moid/claims/${bound.id}?wait=30`)
    assert.equal(done.body.status, 'bound')
    for (const wait of ['-1', '31', '1.5', 'x', '1&wait=2']) {
      assert.equal((await phone.call('GET', `/moid/claims/${claim.id}?wait=${wait}`)).status, 400)
    }
  })

  test('holds no connection to the database', async (t) => {
    const app = await startApp(t, { environment: { MOORING_DATABASE_POOL_SIZE: '2' } })
    const phone = await newPhone(app)
    const claim = await openClaim(app, phone)
    const waits = watchWaits(t, app)
    const waiting = Array.from({ length: 40 }, () =>
      phone.call('GET', `/moid/claims/${claim.id}?wait=30`),
    )
    await waits.begun(40)
    assert.equal((await phone.call('GET', '/moid/devices')).status, 200)
    await (await newDevice(app)).bind(claim.code)
    for (const response of await Promise.all(waiting)) assert.equal(response.body.status, 'bound')
  })

  test('a phone that has gone away is not waited for', async (t) => {
    const app = await freshTenants(t)
    const phone = await newPhone(app)
    const claim = await openClaim(app, phone)
    const waits = watchWaits(t, app)
    const gone = new AbortController()
    const request = fetch(`${app.url}/moid/claims/${claim.id}?wait=30`, {
      headers: as.phone(phone.token),
      signal: gone.signal,
    })
    await waits.begun()
    gone.abort()
    await assert.rejects(request, /abort/)
    // Without the client's going it would be thirty seconds.
    assert.equal(
      await Promise.race([waits.ended, sleep(25_000, 'still waiting', { ref: false })]),
      false,
    )
  })

  test('does not hold up a process that is to stop', async (t) => {
    const app = await startApp(t)
    const phone = await newPhone(app)
    const claim = await openClaim(app, phone)
    const waits = watchWaits(t, app)
    const waiting = phone.call('GET', `/moid/claims/${claim.id}?wait=30`)
    await waits.begun()
    const [, took] = await timed(app.close())
    assert.equal((await waiting).body.status, 'open')
    assert.ok(took < 25_000, `${took} ms`)
  })
})
