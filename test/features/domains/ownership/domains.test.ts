/** Domains: added, verified by the DNS, deleted. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { as, type TestApp } from '../../../support/app.ts'
import {
  addDomain,
  freshName,
  prove,
  useNamedTenants,
  verifiedDomain,
  verify,
} from '../../../support/domains.ts'

const { tenants, nameServer } = useNamedTenants()

const eventsOf = async ({ database }: TestApp, workspaceUuid: string): Promise<string[]> => {
  const { rows } = await database.pool.query<{ type: string }>(
    `SELECT type FROM events WHERE workspace_id = $1 AND type LIKE 'domain.%' ORDER BY seq`,
    [workspaceUuid],
  )
  return rows.map(({ type }) => type)
}

test('a domain is added, verified, listed and deleted', async (t) => {
  const app = await tenants(t)
  const { seed, call } = app
  const name = freshName()
  const added = await addDomain(app, seed, `${name.toUpperCase()}.`)
  assert.equal(added.status, 201, added.text)
  const { id, verification } = added.body
  assert.partialDeepStrictEqual(added.body, { name, purpose: 'mqtt', status: 'pending' })
  assert.equal(verification.name, `_service-verification.${name}`)
  assert.match(verification.value, /^service-verification=[0-9A-Za-z]{49}$/)
  const path = `/workspaces/${seed.id}/domains/${id}`
  const caller = { as: as.platformKey(seed.platformKey) }
  const refused = await verify(app, seed, id)
  assert.deepEqual([refused.status, refused.body.code], [409, 'domain_not_verified'])
  prove(nameServer(), added.body)
  const verified = await verify(app, seed, id)
  assert.equal(verified.status, 200, verified.text)
  assert.partialDeepStrictEqual(verified.body, { id, status: 'verified', last_error: null })
  assert.ok(verified.body.verified_at)
  assert.equal((await verify(app, seed, id)).status, 200)
  const shown = await call('GET', path, caller)
  assert.equal(shown.body.status, 'verified')
  const filter = encodeURIComponent(`name = "${name}" AND status = "verified"`)
  const listed = await call('GET', `/workspaces/${seed.id}/domains?filter=${filter}`, caller)
  assert.deepEqual(listed.body?.items, [shown.body], listed.text)
  const stale = await call('DELETE', path, { ...caller, headers: { 'if-match': '"1"' } })
  assert.deepEqual([stale.status, stale.body.code], [412, 'precondition_failed'])
  assert.equal((await call('DELETE', path, caller)).status, 204)
  assert.deepEqual((await call('GET', path, caller)).body.code, 'domain_not_found')
  assert.deepEqual((await verify(app, seed, id)).body.code, 'domain_not_found')
  const { rows } = await app.database.pool.query(
    `SELECT DISTINCT actor_kind, address FROM audit_log
     WHERE workspace_id = $1 AND action LIKE 'domain.%' AND resource_id = $2`,
    [seed.uuid, id],
  )
  assert.deepEqual(rows, [{ actor_kind: 'platform-key', address: '127.0.0.1' }])
  const events = await eventsOf(app, seed.uuid)
  assert.deepEqual(events, ['domain.added', 'domain.verified', 'domain.deleted'])
})

test('a name is added once by a workspace, and gets another value when it is added again', async (t) => {
  const app = await tenants(t)
  const { seed, call } = app
  const { name, path } = await verifiedDomain(app, nameServer(), seed)
  const again = await addDomain(app, seed, name, 'api')
  assert.deepEqual([again.status, again.body.code], [409, 'domain_exists'])
  await call('DELETE', path, { as: as.platformKey(seed.platformKey) })
  const renewed = await addDomain(app, seed, name)
  assert.equal(renewed.status, 201, renewed.text)
  // The record of before stands in the DNS still, and proves nothing any more.
  const refused = await verify(app, seed, renewed.body.id)
  assert.deepEqual([refused.status, refused.body.code], [409, 'domain_not_verified'])
})

test('forbidden names are refused at their position in the body', async (t) => {
  const app = await tenants(t)
  const long = `${'a'.repeat(60)}.${'b'.repeat(60)}.example.com`
  for (const name of ['co.uk', 'GitHub.io.', '127.1', '*.example.com', 'localhost', 'a.internal']) {
    const { status, body, text } = await addDomain(app, app.seed, name)
    assert.deepEqual([status, body.code], [400, 'invalid_request'], text)
    assert.equal(body.errors[0].pointer, '/name')
  }
  assert.equal((await addDomain(app, app.seed, long)).status, 400)
  assert.equal((await addDomain(app, app.seed, long, 'api')).status, 201)
})

test('a refusal contains the expected record and the records found', async (t) => {
  const app = await tenants(t)
  const { body: domain } = await addDomain(app, app.seed, freshName())
  const { name, value } = domain.verification
  const { zones } = nameServer()
  const detailOf = async (): Promise<string> => {
    const { status, body, text } = await verify(app, app.seed, domain.id)
    assert.deepEqual([status, body.code], [409, 'domain_not_verified'], text)
    const shown = await app.call('GET', `/workspaces/${app.seed.id}/domains/${domain.id}`, {
      as: as.platformKey(app.seed.platformKey),
    })
    assert.equal(shown.body.last_error.message, body.detail)
    assert.equal(shown.body.status, 'pending')
    return `${shown.body.last_error.code} ${body.detail}`
  }
  const missing = await detailOf()
  assert.ok(missing.startsWith('record_missing ') && missing.includes(name), missing)
  assert.ok(missing.includes(value), missing)
  const hostile = `<b>\u0007${'x'.repeat(150)}`
  zones.set(name, { txt: ['v=spf1 -all', hostile, `${value}x`, value.slice(1), 'more'] })
  const differs = await detailOf()
  assert.ok(differs.startsWith('record_differs ') && differs.includes('"v=spf1 -all"'), differs)
  assert.ok(!differs.includes('\u0007') && differs.length < 800, differs)
  zones.set(name, { fails: 'servfail', txt: [value] })
  assert.match(await detailOf(), /^dns_failure .*servfail/)
  // In several strings, alongside others, and behind a CNAME, as delegations have it.
  zones.set(name, { cname: `proofs.${name}` })
  zones.set(`proofs.${name}`, { txt: ['other', [value.slice(0, 9), value.slice(9)]] })
  assert.equal((await verify(app, app.seed, domain.id)).status, 200)
})

test('one of two workspaces that have both proven a name at once has it', async (t) => {
  const app = await tenants(t)
  const { seed } = app
  const workspaces = [seed, seed.other]
  const name = freshName()
  const added = await Promise.all(workspaces.map((each) => addDomain(app, each, name, 'api')))
  for (const { body } of added) prove(nameServer(), body)
  assert.notEqual(added[0]?.body.verification.value, added[1]?.body.verification.value)
  const racers = Array.from({ length: 40 }, async (_, index) => {
    const side = index % 2
    const workspace = workspaces[side] as (typeof workspaces)[number]
    return { side, ...(await verify(app, workspace, added[side]?.body.id)) }
  })
  const responses = await Promise.all(racers)
  const winners = new Set(responses.filter((each) => each.status === 200).map(({ side }) => side))
  assert.equal(winners.size, 1)
  const lost = responses.filter((each) => each.status !== 200)
  assert.equal(lost.length, 20)
  assert.ok(lost.every(({ status, body }) => status === 409 && body.code === 'domain_taken'))
  const [winner] = winners
  const mine = workspaces[winner as number] as (typeof workspaces)[number]
  assert.deepEqual(await eventsOf(app, mine.uuid), ['domain.added', 'domain.verified'])
  // Once it is given up, anyone who has a value of their own in the DNS gets it.
  const path = `/workspaces/${mine.id}/domains/${added[winner as number]?.body.id}`
  await app.call('DELETE', path, { as: as.platformKey(mine.platformKey) })
  const other = 1 - (winner as number)
  const theirs = workspaces[other] as (typeof workspaces)[number]
  assert.equal((await verify(app, theirs, added[other]?.body.id)).status, 200)
})

test('a name below the domain of another workspace wants a record of its own', async (t) => {
  const app = await tenants(t)
  const { seed } = app
  const { name } = await verifiedDomain(app, nameServer(), seed)
  const below = await addDomain(app, seed.other, `shop.${name}`)
  assert.equal(below.status, 201)
  assert.equal((await verify(app, seed.other, below.body.id)).body.code, 'domain_not_verified')
  prove(nameServer(), below.body)
  assert.equal((await verify(app, seed.other, below.body.id)).status, 200)
})

test('concurrent requests add a name once, and a workspace has at most 100 domains', async (t) => {
  const app = await tenants(t)
  const { seed } = app
  const name = freshName()
  const responses = await Promise.all(Array.from({ length: 20 }, () => addDomain(app, seed, name)))
  const codes = responses.map(({ status, body }) => (status === 201 ? 'added' : body.code))
  assert.equal(codes.filter((code) => code === 'added').length, 1)
  assert.equal(codes.filter((code) => code === 'domain_exists').length, 19)
  await app.database.pool.query(
    `INSERT INTO domains (workspace_id, id, name, purpose, value, created_by)
     SELECT $1, gen_random_uuid(), 'n' || n || $2, 'api', 'x', 'seed' FROM generate_series(1, 97) n`,
    [seed.uuid, name],
  )
  const more = await Promise.all(
    Array.from({ length: 8 }, () => addDomain(app, seed, freshName(), 'api')),
  )
  assert.equal(more.filter(({ status }) => status === 201).length, 2)
  const refused = more.find(({ status }) => status !== 201)
  assert.deepEqual([refused?.status, refused?.body.code], [409, 'limit_reached'])
})
