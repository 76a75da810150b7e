/** /moid/claims: a phone starts claims, a few at a time, and sees what becomes of its own. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { formatId, newUuid } from '../../../../src/platform/lib/ids.ts'
import { newDevice, newPhone, openClaim, statuses } from '../../../support/phones-and-devices.ts'
import { startApp } from '../../../support/app.ts'
import { useTenants } from '../../../support/suite-app.ts'

const freshTenants = useTenants()

describe('POST /moid/claims', () => {
  test('gives a code that is stored as a keyed hash only', async (t) => {
    const app = await freshTenants(t)
    const phone = await newPhone(app)
    const body = { workspace_id: app.seed.id, name: 'Lamp', expires_in: 120 }
    const claim = await phone.call('POST', '/moid/claims', body)
    assert.equal(claim.status, 201, claim.text)
    assert.match(claim.body.claim_code, /^pc_[0-9A-HJKMNP-TV-Z]{10}$/)
    assert.equal(claim.headers.location, `/api/v1/moid/claims/${claim.body.claim_id}`)
    assert.equal(claim.headers['cache-control'], 'no-store')
    assert.equal(claim.body.status, 'open')
    const left = Date.parse(claim.body.expires_at) - Date.parse(claim.body.created_at)
    assert.equal(left, 120_000)
    const { rows } = await app.database.pool.query('SELECT code_hash FROM claims')
    assert.deepEqual(rows[0].code_hash, app.services.keyring.hashSecret(claim.body.claim_code))
    const seen = await phone.call('GET', `/moid/claims/${claim.body.claim_id}`)
    const { claim_code: _, ...rest } = claim.body
    assert.deepEqual(seen.body, rest)
  })

  test('lasts 15 minutes unless another time from one to sixty minutes is asked for', async (t) => {
    const app = await freshTenants(t)
    const phone = await newPhone(app)
    const start = (extra: object) =>
      phone.call('POST', '/moid/claims', { workspace_id: app.seed.id, ...extra })
    const { body } = await start({})
    assert.equal(Date.parse(body.expires_at) - Date.parse(body.created_at), 900_000)
    assert.equal((await start({ expires_in: 60 })).status, 201)
    assert.equal((await start({ expires_in: 3_600 })).status, 201)
    for (const bad of [0, 59, 3_601, 60.5, '60', null, -1, 1e300]) {
      assert.equal((await start({ expires_in: bad })).status, 400, String(bad))
    }
    for (const bad of ['', ' ', 'a\nb', 'x'.repeat(121), 1]) {
      assert.equal((await start({ name: bad })).status, 400, String(bad))
    }
    assert.equal((await start({ moid_id: phone.moidId })).status, 400)
  })

  test('a global session names the workspace, a locked one may only name its own', async (t) => {
    const app = await freshTenants(t)
    const [global, locked] = await Promise.all([newPhone(app), newPhone(app, app.seed.id)])
    const start = async (phone: typeof global, body: object) => {
      const response = await phone.call('POST', '/moid/claims', body)
      return [response.status, response.body.code ?? response.body.workspace_id]
    }
    const unknown = formatId('ws', newUuid())
    assert.deepEqual(await start(global, {}), [400, 'invalid_request'])
    const there = { workspace_id: unknown }
    assert.deepEqual(await start(global, there), [404, 'workspace_not_found'])
    assert.deepEqual(await start(locked, {}), [201, app.seed.id])
    assert.deepEqual(await start(locked, { workspace_id: app.seed.id }), [201, app.seed.id])
    for (const workspace_id of [app.seed.other.id, unknown]) {
      assert.deepEqual(await start(locked, { workspace_id }), [404, 'workspace_not_found'])
    }
    await app.database.pool.query(`UPDATE workspaces SET status = 'suspended' WHERE id = $1`, [
      app.seed.other.uuid,
    ])
    const suspended = { workspace_id: app.seed.other.id }
    assert.deepEqual(await start(global, suspended), [404, 'workspace_not_found'])
  })

  test('leaves five of thirty concurrent claims open, and each that ends makes room', async (t) => {
    const app = await freshTenants(t)
    const sibling = await app.sibling()
    const phone = await newPhone(app)
    const body = { workspace_id: app.seed.id }
    const headers = { authorization: `Bearer ${phone.token}` }
    const start = (at: number) =>
      (at % 2 ? app : sibling).call('POST', '/moid/claims', { headers, body })
    const responses = await Promise.all(Array.from({ length: 30 }, (_, at) => start(at)))
    assert.deepEqual(statuses(responses), { 201: 5, 409: 25 })
    const refused = responses.find(({ status }) => status === 409)
    assert.equal(refused?.body.code, 'too_many_open_claims')
    const open = responses.filter(({ status }) => status === 201).map((response) => response.body)
    await phone.call('DELETE', `/moid/claims/${open[0].claim_id}`)
    assert.equal((await start(0)).status, 201)
    assert.equal((await (await newDevice(app)).bind(open[1].claim_code)).status, 200)
    assert.equal((await start(0)).status, 201)
    assert.equal((await start(0)).status, 409)
    await app.database.pool.query(`UPDATE claims SET expires_at = now() WHERE status = 'open'`)
    assert.equal((await start(0)).status, 201)
  })

  test('is done once for an Idempotency-Key, and the same code comes again', async (t) => {
    const app = await startApp(t)
    const phone = await newPhone(app)
    const call = () =>
      app.call('POST', '/moid/claims', {
        headers: { authorization: `Bearer ${phone.token}`, 'idempotency-key': 'first-claim' },
        body: { workspace_id: app.seed.id },
      })
    const first = await call()
    const again = await call()
    assert.equal(again.text, first.text)
    assert.equal(again.headers['idempotent-replayed'], 'true')
    const { rows } = await app.database.pool.query('SELECT 1 FROM claims')
    assert.equal(rows.length, 1)
  })
})

describe('/moid/claims/{claim_id}', () => {
  test('is cancelled while it is open, and not later', async (t) => {
    const app = await freshTenants(t)
    const phone = await newPhone(app)
    const remove = async (id: string) => {
      const { status, body } = await phone.call('DELETE', `/moid/claims/${id}`)
      return [status, body?.code]
    }
    const open = await openClaim(app, phone)
    assert.deepEqual(await remove(open.id), [204, undefined])
    assert.equal((await phone.call('GET', `/moid/claims/${open.id}`)).body.status, 'cancelled')
    assert.deepEqual(await remove(open.id), [204, undefined])
    const bound = await openClaim(app, phone)
    await (await newDevice(app)).bind(bound.code)
    const refused = await phone.call('DELETE', `/moid/claims/${bound.id}`)
    assert.equal(refused.body.code, 'invalid_transition')
    assert.match(refused.body.detail, /bound.*cancelled/)
    const late = await openClaim(app, phone)
    await app.database.pool.query('UPDATE claims SET expires_at = now() WHERE id = $1', [late.uuid])
    assert.deepEqual(await remove(late.id), [409, 'invalid_transition'])
    const seen = await phone.call('GET', `/moid/claims/${late.id}`)
    assert.equal(seen.body.status, 'expired')
    assert.equal(seen.body.ended_at, seen.body.expires_at)
  })

  test('one of a cancellation and a binding at once happens', async (t) => {
    const app = await freshTenants(t)
    const phone = await newPhone(app)
    for (let round = 0; round < 25; round += 1) {
      const device = await newDevice(app)
      const claim = await openClaim(app, phone)
      const [bound, cancelled] = await Promise.all([
        device.bind(claim.code),
        phone.call('DELETE', `/moid/claims/${claim.id}`),
      ])
      const { body } = await phone.call('GET', `/moid/claims/${claim.id}`)
      const outcome = [bound.status, cancelled.status, body.status]
      const possible = [
        [200, 409, 'bound'],
        [410, 204, 'cancelled'],
      ]
      assert.ok(
        possible.some((each) => String(each) === String(outcome)),
        String(outcome),
      )
    }
  })

  test('honours If-Match', async (t) => {
    const app = await freshTenants(t)
    const phone = await newPhone(app)
    const claim = await openClaim(app, phone)
    const headers = { authorization: `Bearer ${phone.token}` }
    const path = `/moid/claims/${claim.id}`
    const { etag } = (await phone.call('GET', path)).headers
    const stale = await app.call('DELETE', path, { headers: { ...headers, 'if-match': '"99"' } })
    assert.equal(stale.status, 412)
    const good = await app.call('DELETE', path, {
      headers: { ...headers, 'if-match': etag as string },
    })
    assert.equal(good.status, 204)
  })

  test("lists a phone's own claims page by page, newest first", async (t) => {
    const app = await freshTenants(t)
    const [phone, other] = await Promise.all([newPhone(app), newPhone(app)])
    const made: string[] = []
    for (let at = 0; at < 5; at += 1) made.unshift((await openClaim(app, phone)).id)
    await openClaim(app, other)
    const seen: string[] = []
    let path = '/moid/claims?limit=2'
    for (;;) {
      const { body } = await phone.call('GET', path)
      seen.push(...body.items.map((item: { claim_id: string }) => item.claim_id))
      if (body.next_cursor === null) break
      path = `/moid/claims?limit=2&cursor=${body.next_cursor}`
    }
    assert.deepEqual(seen, made)
    const foreign = await other.call('GET', path)
    assert.equal(foreign.body.code, 'invalid_cursor')
  })

  test("another phone's claim and one of another workspace are the same 404", async (t) => {
    const app = await freshTenants(t)
    const [phone, other] = await Promise.all([newPhone(app), newPhone(app)])
    const claim = await openClaim(app, other)
    const unknown = formatId('clm', newUuid())
    const ask = async (method: string, id: string) => {
      const { status, body } = await phone.call(method, `/moid/claims/${id}`)
      return { status, body: { ...body, instance: '', trace_id: '' } }
    }
    for (const method of ['GET', 'DELETE']) {
      const there = await ask(method, claim.id)
      assert.equal(there.status, 404)
      assert.deepEqual(there, await ask(method, unknown))
      assert.deepEqual(there, await ask(method, 'clm_x'))
      assert.deepEqual(there, await ask(method, app.seed.id))
    }
  })
})
