/** The daily look at domains: grace, lapse and return, once though several processes look. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recheckDomains } from '../../../../src/features/domains/ownership/domain-recheck.ts'
import { as, type TestApp } from '../../../support/app.ts'
import {
  addDomain,
  prove,
  useNamedTenants,
  verifiedDomain,
  verify,
} from '../../../support/domains.ts'

const { tenants, nameServer } = useNamedTenants()

const proofOf = (name: string): string => `_service-verification.${name}`

/** Lets time pass for a domain, and has all that is due looked at by each of the services. */
async function check(
  app: TestApp,
  { id, path }: { id: string; path: string },
  passed = '0 seconds',
  apps: readonly TestApp[] = [app],
) {
  const { rowCount } = await app.database.pool.query(
    `UPDATE domains SET next_check_at = now(), failing_since = failing_since - $2::interval,
                        warned_at = warned_at - $2::interval
     WHERE workspace_id = $1 AND status <> 'pending'`,
    [app.seed.uuid, passed],
  )
  assert.ok((rowCount ?? 0) > 0, id)
  const { signal } = new AbortController()
  await Promise.all(apps.map(({ services }) => recheckDomains(services, signal)))
  const { body } = await app.call('GET', path, { as: as.platformKey(app.seed.platformKey) })
  return body
}

const eventsOf = async (app: TestApp): Promise<[string, unknown][]> => {
  const { rows } = await app.database.pool.query(
    `SELECT type, data FROM events WHERE workspace_id = $1 AND type LIKE 'domain.%' ORDER BY seq`,
    [app.seed.uuid],
  )
  return rows.map(({ type, data }) => [type, data.lapses_at])
}

test('a domain without its record lapses after a week of warnings, and is verified again with it', async (t) => {
  const app = await tenants(t)
  const { zones } = nameServer()
  const domain = await verifiedDomain(app, nameServer(), app.seed)
  const proof = zones.get(proofOf(domain.name))
  assert.ok(proof)
  const fine = await check(app, domain)
  assert.deepEqual([fine.status, fine.failing_since], ['verified', null])
  zones.delete(proofOf(domain.name))
  const first = await check(app, domain)
  assert.equal(first.status, 'verified')
  assert.equal(first.last_error.code, 'record_missing')
  assert.equal(Date.parse(first.lapses_at) - Date.parse(first.failing_since), 7 * 86_400_000)
  assert.equal((await check(app, domain, '20 hours')).status, 'verified')
  assert.equal((await check(app, domain, '5 days')).status, 'verified')
  assert.equal((await check(app, domain, '3 days')).status, 'lapsed')
  assert.equal((await check(app, domain, '30 days')).status, 'lapsed')
  zones.set(proofOf(domain.name), proof)
  const back = await check(app, domain)
  assert.deepEqual([back.status, back.failing_since, back.last_error], ['verified', null, null])
  const events = await eventsOf(app)
  assert.deepEqual(
    events.map(([type]) => type),
    [
      'domain.added',
      'domain.verified',
      'domain.verification_failing',
      'domain.verification_failing',
      'domain.lapsed',
      'domain.verified',
    ],
  )
  assert.ok(events[2]?.[1], 'a warning says when it lapses')
  // The same week over again: earlier usage does not count.
  zones.delete(proofOf(domain.name))
  assert.equal((await check(app, domain)).status, 'verified')
})

test('a DNS failure does not change a domain', async (t) => {
  const app = await tenants(t)
  const { zones } = nameServer()
  const domain = await verifiedDomain(app, nameServer(), app.seed)
  const name = proofOf(domain.name)
  zones.set(name, { fails: 'servfail' })
  const unclear = await check(app, domain, '30 days')
  assert.partialDeepStrictEqual(unclear, { status: 'verified', failing_since: null })
  assert.equal(unclear.last_error.code, 'dns_failure')
  zones.delete(name)
  await check(app, domain)
  zones.set(name, { fails: 'refused' })
  assert.equal((await check(app, domain, '8 days')).status, 'verified')
  zones.delete(name)
  assert.equal((await check(app, domain)).status, 'lapsed')
})

test('several processes check a domain once', async (t) => {
  const app = await tenants(t)
  const sibling = await app.sibling()
  const { asked, zones } = nameServer()
  const domains = []
  for (let n = 0; n < 5; n += 1) domains.push(await verifiedDomain(app, nameServer(), app.seed))
  const names = domains.map(({ name }) => `TXT ${proofOf(name)}`)
  for (const { name } of domains) zones.delete(proofOf(name))
  asked.length = 0
  const [domain] = domains
  assert.ok(domain)
  await check(app, domain, '0 seconds', [app, sibling, app, sibling])
  assert.deepEqual(asked.filter((each) => names.includes(each)).sort(), [...names].sort())
  const warnings = (await eventsOf(app)).filter(([type]) => type === 'domain.verification_failing')
  assert.equal(warnings.length, 5)
})

test('a lapsed domain that another workspace has verified stays theirs', async (t) => {
  const app = await tenants(t)
  const { seed } = app
  const { zones } = nameServer()
  const domain = await verifiedDomain(app, nameServer(), seed)
  const name = proofOf(domain.name)
  const mine = zones.get(name)
  const theirs = await addDomain(app, seed.other, domain.name)
  zones.delete(name)
  await check(app, domain)
  prove(nameServer(), theirs.body)
  const early = await verify(app, seed.other, theirs.body.id)
  assert.deepEqual([early.status, early.body.code], [409, 'domain_taken'])
  assert.equal((await check(app, domain, '8 days')).status, 'lapsed')
  assert.equal((await verify(app, seed.other, theirs.body.id)).status, 200)
  zones.set(name, { txt: [...(mine?.txt ?? []), theirs.body.verification.value] })
  const back = await check(app, domain)
  assert.deepEqual([back.status, back.last_error.code], ['lapsed', 'taken'])
  assert.equal((await verify(app, seed, domain.id)).body.code, 'domain_taken')
})
