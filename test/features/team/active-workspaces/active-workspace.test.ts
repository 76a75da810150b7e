/** The guarantees for a transaction once it knows that a workspace is active. */
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  countOneAtATime,
  isActiveWorkspace,
} from '../../../../src/features/team/active-workspaces/active-workspace.ts'
import type { Db } from '../../../../src/platform/database/connect.ts'
import { newUuid } from '../../../../src/platform/lib/ids.ts'
import { as } from '../../../support/app.ts'
import { sql } from '../../../support/audit-chain.ts'
import { useTenants } from '../../../support/suite-app.ts'
import { until } from '../../../support/until.ts'

const tenant = useTenants()

/** A transaction that stays open after `act`, until it is ended or the test is over. */
async function held(t: TestContext, db: Db, act: (trx: Db) => Promise<unknown>) {
  const reached = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const ended = db.transaction(async (trx) => {
    await act(trx)
    reached.resolve()
    await released.promise
  })
  t.after(() => released.resolve())
  await Promise.race([reached.promise, ended])
  return {
    async end() {
      released.resolve()
      await ended
    },
  }
}

test('a deleted or unknown workspace is not active', async (t) => {
  const { call, database, seed } = await tenant(t)
  assert.equal(await isActiveWorkspace(database, seed.uuid), true)
  assert.equal(await isActiveWorkspace(database, newUuid()), false)
  const body = { confirm: seed.slug }
  const caller = as.user(seed.owner.token)
  assert.equal((await call('DELETE', `/workspaces/${seed.id}`, { as: caller, body })).status, 202)
  assert.equal(await isActiveWorkspace(database, seed.uuid), false)
})

test('a workspace that a transaction finds active stays so until its end: a deletion waits', async (t) => {
  const { call, database, seed } = await tenant(t)
  const work = await held(t, database, (trx) => isActiveWorkspace(trx, seed.uuid))
  let isDeleted = false
  const deletion = call('DELETE', `/workspaces/${seed.id}`, {
    as: as.user(seed.owner.token),
    body: { confirm: seed.slug },
  }).then((response) => {
    isDeleted = true
    return response
  })
  await until('the deletion waits', async () => {
    assert.equal(isDeleted, false)
    const waiting =
      'SELECT FROM pg_stat_activity WHERE wait_event_type = $1 AND datname = current_database()'
    return (await sql(database, waiting, ['Lock'])).length > 0
  })
  assert.deepEqual([isDeleted, await isActiveWorkspace(database, seed.uuid)], [false, true])
  await work.end()
  assert.equal((await deletion).status, 202)
})

test('each of several concurrent counts sees what the previous one has added', async (t) => {
  const { database, seed } = await tenant(t)
  const counts = await Promise.all(
    Array.from({ length: 6 }, () =>
      database.transaction(async (trx) => {
        await countOneAtATime(trx, seed.uuid)
        const [row] = await sql<{ count: string }>(
          trx,
          'SELECT count(*) FROM memberships WHERE workspace_id = $1',
          [seed.uuid],
        )
        await sleep(5)
        const add = `WITH u AS (INSERT INTO users (id, email, password_hash)
                                VALUES ($2::uuid, $2::uuid || '@example.com', '!') RETURNING id)
                     INSERT INTO memberships (workspace_id, user_id, role)
                     SELECT $1, id, 'viewer' FROM u`
        await sql(trx, add, [seed.uuid, newUuid()])
        return Number(row?.count)
      }),
    ),
  )
  assert.deepEqual(
    counts.toSorted((a, b) => a - b),
    [1, 2, 3, 4, 5, 6],
  )
})
