/**
 * Entries that unauthenticated callers cause are bounded in the audit log and in the events: the
 * first acts of an address are recorded one by one, the others are counted.
 */
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { appendCounts, recordBounded } from '../../../../src/platform/record/counting.ts'
import { INSTALLATION, type Origin } from '../../../../src/platform/record/event.ts'
import { expireClaims } from '../../../../src/features/mobile/claims/claim-expiry.ts'
import { as, type TestApp } from '../../../support/app.ts'
import { sql } from '../../../support/audit-chain.ts'
import { useBilledTenants } from '../../../support/billing.ts'
import { inParallel, newDevice, newPhone, openClaim } from '../../../support/phones-and-devices.ts'
import { until } from '../../../support/until.ts'

interface Received {
  own: number
  all: number
}

/** Entries of one action that an address gets in an hour, one by one. */
const OF_ADDRESS = 20
const OF_WORKSPACE = 500

interface Entry {
  actor_kind: string
  address: string | null
  resource_id: string | null
  detail: { count?: number; first_at?: string; last_at?: string; addresses?: number }
}

type Place = Pick<TestApp, 'database' | 'seed'>

const entriesOf = ({ database, seed }: Place, action: string): Promise<Entry[]> =>
  sql(
    database,
    `SELECT actor_kind, address, resource_id, detail FROM audit_log
     WHERE workspace_id = $1 AND action = $2 ORDER BY id`,
    [seed.uuid, action],
  )

const eventsOf = async ({ database, seed }: Place, type: string): Promise<number> =>
  (
    await sql(database, 'SELECT FROM events WHERE workspace_id = $1 AND type = $2', [
      seed.uuid,
      type,
    ])
  ).length

/** The hour of the counts ends. */
const endHour = async ({ database, seed }: Place): Promise<void> => {
  await sql(
    database,
    `UPDATE audit_counts SET window_start = window_start - interval '1 hour'
     WHERE workspace_id = $1`,
    [seed.uuid],
  )
  await appendCounts(database)
}

const counted = (entries: readonly Entry[]): number =>
  entries.reduce((sum, { detail }) => sum + (detail.count ?? 1), 0)

suite('acts of unauthenticated callers', () => {
  // Counts are by the hour.
  const start = useBilledTenants()

  test('are recorded one by one at first, then as one entry with a count', async (t) => {
    const app = await start(t)
    const before = Date.now() - 1_000
    const opened = Array.from({ length: 60 }, () => () => newPhone(app, app.seed.id))
    const phones = await inParallel(opened, 8)
    assert.equal((await entriesOf(app, 'moid_session.created')).length, OF_ADDRESS)
    await Promise.all([1, 2, 3].map(() => appendCounts(app.database)))
    assert.equal(
      (await entriesOf(app, 'moid_session.created')).length,
      OF_ADDRESS,
      'the entry is not written yet',
    )
    await endHour(app)
    const entries = await entriesOf(app, 'moid_session.created')
    assert.equal(entries.length, OF_ADDRESS + 1)
    assert.equal(counted(entries), 60)
    const { detail, ...last } = entries.at(-1) as Entry
    assert.deepEqual(last, { actor_kind: 'anonymous', address: '127.0.0.1', resource_id: null })
    assert.deepEqual(Object.keys(detail).sort(), ['count', 'first_at', 'last_at'])
    const [from, to] = [Date.parse(detail.first_at ?? ''), Date.parse(detail.last_at ?? '')]
    assert.ok(before < from && from <= to && to <= Date.now() + 1_000)
    await inParallel(
      phones.map((phone) => () => phone.call('DELETE', '/moid/session')),
      8,
    )
    await endHour(app)
    const ended = await entriesOf(app, 'moid_session.ended')
    assert.deepEqual([ended.length, counted(ended)], [OF_ADDRESS + 1, 60])
  })

  test('that are claims have events where they are recorded, from their start to their end', async (t) => {
    const app = await start(t)
    const phones = await Promise.all(Array.from({ length: 10 }, () => newPhone(app)))
    const claims = await inParallel(
      phones.flatMap((phone) =>
        Array.from({ length: 5 }, () => async () => ({ phone, ...(await openClaim(app, phone)) })),
      ),
      8,
    )
    for (const { phone, id } of claims.slice(0, 25))
      await phone.call('DELETE', `/moid/claims/${id}`)
    await sql(
      app.database,
      `UPDATE claims SET expires_at = now() - interval '1 s'
       WHERE workspace_id = $1 AND status = 'open'`,
      [app.seed.uuid],
    )
    await Promise.all([expireClaims(app.database), expireClaims(app.database)])
    // The service may be at some of them by itself.
    await until('all have ended', async () => {
      const open = `SELECT FROM claims WHERE workspace_id = $1 AND status = 'open'`
      return (await sql(app.database, open, [app.seed.uuid])).length === 0
    })
    const states = await sql<{ counted: boolean; id: string }>(
      app.database,
      `SELECT counted_under IS NOT NULL AS counted, id FROM claims WHERE workspace_id = $1`,
      [app.seed.uuid],
    )
    assert.equal(states.filter((claim) => !claim.counted).length, OF_ADDRESS)
    await endHour(app)
    const received = await Promise.all(
      ['claim.created', 'claim.cancelled', 'claim.expired'].map(async (action) => {
        const entries = await entriesOf(app, action)
        const own = entries.filter(({ detail }) => detail.count === undefined)
        assert.equal(await eventsOf(app, action), own.length, action)
        return { own: own.length, all: counted(entries) }
      }),
    )
    const [created, cancelled, expired] = received as [Received, Received, Received]
    assert.deepEqual([created.own, created.all], [OF_ADDRESS, 50])
    assert.equal(cancelled.own + expired.own, OF_ADDRESS, 'each group that begins has an end')
    assert.deepEqual([cancelled.all, expired.all], [25, 25])
  })

  test('share a budget in a workspace for all addresses, and one entry for the rest', async (t) => {
    const app = await start(t)
    const ADDRESSES = 200
    const act = async (index: number): Promise<void> => {
      const origin: Origin = {
        actor: { kind: 'anonymous', id: null },
        requestId: null,
        address: `198.51.100.${index % ADDRESSES}`,
      }
      const change = { workspaceId: app.seed.uuid, action: 'claim.created' } as const
      await app.database.transaction((trx) => recordBounded(trx, origin, change))
    }
    await inParallel(
      Array.from({ length: 1_000 }, (_, index) => () => act(index)),
      8,
    )
    assert.equal((await entriesOf(app, 'claim.created')).length, OF_WORKSPACE)
    assert.equal(await eventsOf(app, 'claim.created'), OF_WORKSPACE)
    await endHour(app)
    const entries = await entriesOf(app, 'claim.created')
    assert.equal(entries.length, OF_WORKSPACE + 51)
    assert.equal(counted(entries), 1_000)
    const rest = entries.filter(({ address }) => address === null)
    assert.deepEqual(
      rest.map(({ detail }) => detail.addresses),
      [ADDRESSES - 50],
    )
    assert.deepEqual(
      await sql(app.database, 'SELECT FROM audit_counts WHERE workspace_id = $1', [app.seed.uuid]),
      [],
    )
  })

  test('leave a phone that holds a device all its entries and events', async (t) => {
    const app = await start(t)
    const [phone, device] = [await newPhone(app), await newDevice(app)]
    await device.bind((await openClaim(app, phone)).code)
    const flooder = await Promise.all(Array.from({ length: 10 }, () => newPhone(app)))
    for (const each of flooder) {
      for (let claim = 0; claim < 3; claim += 1) await openClaim(app, each)
    }
    const before = await eventsOf(app, 'claim.created')
    assert.equal(before, OF_ADDRESS)
    const { id } = await openClaim(app, phone)
    await phone.call('DELETE', `/moid/claims/${id}`)
    assert.equal(await eventsOf(app, 'claim.created'), before + 1)
    assert.equal(await eventsOf(app, 'claim.cancelled'), 1)
  })

  test('with a token of the workspace have no entry there, so nobody can fill its log', async (t) => {
    const app = await start(t)
    const phone = await newPhone(app, app.seed.id)
    const path = `/workspaces/${app.seed.id}/devices`
    assert.equal((await app.call('GET', path, { as: as.phone(phone.token) })).status, 403)
    const refused = () =>
      sql<{ workspace_id: string }>(
        app.database,
        `SELECT workspace_id FROM audit_log WHERE action = 'access.refused' AND actor_id = $1`,
        [phone.moidId],
      )
    await until('it is recorded', async () => (await refused()).length > 0)
    assert.deepEqual(
      (await refused()).map(({ workspace_id }) => workspace_id),
      [INSTALLATION],
    )
  })

  test('include wrong passwords at any accounts', async (t) => {
    const app = await start(t)
    const guesses = Array.from({ length: 30 }, (_, index) => async () => {
      const body = { email: `nobody${index}@example.com`, password: 'wrong' }
      assert.equal((await app.call('POST', '/auth/login', { body })).status, 401)
    })
    await inParallel(guesses, 4)
    const [entries, counts] = await Promise.all([
      sql(app.database, `SELECT FROM audit_log WHERE action = 'session.refused'`),
      sql<{ acts: number }>(
        app.database,
        `SELECT sum(counted)::int AS acts FROM audit_counts WHERE action = 'session.refused'`,
      ),
    ])
    assert.deepEqual([entries.length, counts[0]?.acts], [OF_ADDRESS, 30 - OF_ADDRESS])
  })
})
