/** Cancelling a job: devices in progress are finished, and the counts are correct. */
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { formatId, parseId } from '../../../../src/platform/lib/ids.ts'
import { as, type TestApp } from '../../../support/app.ts'
import {
  changedDevices,
  continueJob,
  ended,
  holdUp,
  itemsOf,
  north,
  postJob,
  readJob,
  runJob,
  seedFleet,
  turnJob,
  writeJob,
} from '../../../support/fleet.ts'
import { useTenants } from '../../../support/suite-app.ts'

/** Entries of the feed and the audit log about the end of a job: its actor, and its counts. */
async function recordsOf({ app }: TestApp, id: string, action: string) {
  const { rows } = await app.database.pool.query<{
    kind: string
    counts: unknown
    received: unknown
  }>(
    `SELECT a.actor_kind AS kind, a.detail -> 'counts' AS counts, e.data -> 'counts' AS received
     FROM audit_log a JOIN events e ON e.workspace_id = a.workspace_id AND e.type = a.action
       AND e.data ->> 'job_id' = a.resource_id
     WHERE a.action = $1 AND a.resource_id = $2`,
    [action, id],
  )
  return rows
}

suite('a cancelled job', () => {
  const tenant = useTenants()

  test('begins no more devices', async (t) => {
    const app = await tenant(t)
    const { ids, uuids } = await seedFleet(app, 1_500)
    const hold = await holdUp(t, app, uuids[700] as string)
    const created = await postJob(app, { ...north, device_ids: ids })
    const { id } = created.body
    await hold.isReached()
    const early = await turnJob(app, id, 'retry')
    assert.deepEqual([early.status, early.body.code], [409, 'invalid_transition'])
    const cancelled = await Promise.all([turnJob(app, id, 'cancel'), turnJob(app, id, 'cancel')])
    for (const { status, body } of cancelled) {
      assert.deepEqual([status, body.status, body.ended_at], [200, 'cancelling', null])
      assert.deepEqual([body.counts.succeeded, body.counts.pending], [500, 1_000])
    }
    assert.equal((await itemsOf(app, id, '&status=pending')).length, 200)
    await hold.release()
    const job = await ended(app, id)
    assert.equal(job.status, 'cancelled')
    assert.deepEqual([job.counts.pending, job.counts.cancelled], [0, 500])
    assert.equal((await itemsOf(app, id, '&status=cancelled')).length, 200)
    assert.equal((await itemsOf(app, id, '&status=pending')).length, 0)
    assert.equal((await changedDevices(app, uuids)).length, 1_000)
    const other = await runJob(app, { action: 'resume', device_ids: ids.slice(0, 1) })
    const late = await turnJob(app, other.id, 'cancel')
    assert.deepEqual([late.status, late.body.code], [409, 'invalid_transition'])
  })

  test('is reported with final counts, once, and as the act of its canceller', async (t) => {
    const app = await tenant(t)
    const { ids, uuids } = await seedFleet(app, 300)
    const hold = await holdUp(t, app, uuids[150] as string)
    const { id } = (await postJob(app, { action: 'delete', device_ids: ids })).body
    await hold.isReached()
    const cancel = () =>
      app.call('POST', `/workspaces/${app.seed.id}/jobs/${id}/cancel`, {
        as: as.platformKey(app.seed.platformKey),
      })
    const during = await Promise.all(Array.from({ length: 10 }, cancel))
    for (const { status, body } of during) {
      assert.deepEqual([status, body.status, body.counts.pending], [200, 'cancelling', 300])
    }
    assert.deepEqual(await recordsOf(app, id, 'job.cancelled'), [])
    const listed = await app.call(
      'GET',
      `/workspaces/${app.seed.id}/jobs?status=cancelling&filter=${encodeURIComponent('NOT ended_at > 2020-01-01')}`,
      { as: as.user(app.seed.owner.token) },
    )
    assert.equal(listed.status, 200, listed.text)
    assert.deepEqual(
      listed.body.items.map((job: { id: string }) => job.id),
      [id],
    )
    await hold.release()
    const job = await ended(app, id)
    const counts = { total: 300, pending: 0, succeeded: 300, failed: 0, skipped: 0, cancelled: 0 }
    assert.deepEqual([job.status, job.counts], ['cancelled', counts])
    assert.deepEqual(await recordsOf(app, id, 'job.cancelled'), [
      { kind: 'platform-key', counts, received: counts },
    ])
    assert.equal((await cancel()).body.status, 'cancelled')
  })

  test('has counts of what happened to the devices, however cancels and chunks overlap', async (t) => {
    const app = await tenant(t)
    for (let round = 0; round < 9; round += 1) {
      const { ids, uuids } = await seedFleet(app, 1_100)
      const hold = await holdUp(t, app, uuids[round * 120] as string)
      const { id } = (await postJob(app, { action: 'delete', device_ids: ids })).body
      await hold.isReached()
      const cancels = [turnJob(app, id, 'cancel'), turnJob(app, id, 'cancel')]
      // Now the cancel comes first, now the end of the chunk.
      if (round % 3 > 0) await cancels[0]
      if (round % 3 > 1) cancels.push(turnJob(app, id, 'cancel'))
      await hold.release()
      const responses = await Promise.all(cancels)
      for (const { status } of responses) assert.ok(status === 200 || status === 409)
      const job = await ended(app, id)
      const { pool } = app.app.database
      // Waits for chunks that are still in progress.
      await pool.query('SELECT FROM job_items WHERE job_id = $1 FOR UPDATE', [parseId('job', id)])
      const { rows } = await pool.query(
        'SELECT count(*)::int AS left FROM devices WHERE id = ANY($1::uuid[])',
        [uuids],
      )
      const { left } = rows[0] as { left: number }
      const counts = {
        total: 1_100,
        pending: 0,
        succeeded: 1_100 - left,
        failed: 0,
        skipped: 0,
        cancelled: left,
      }
      assert.deepEqual(job.counts, counts, `round ${round}`)
      assert.deepEqual(await recordsOf(app, id, `job.${job.status}`), [
        { kind: 'user', counts, received: counts },
      ])
    }
  })

  test('left unfinished by a killed process, is ended by the next, or by a cancel', async (t) => {
    const app = await tenant(t)
    const { uuids } = await seedFleet(app, 2)
    const left = async (): Promise<string> => {
      const id = await writeJob(app, 'running', uuids)
      const { pool } = app.app.database
      await pool.query(
        `UPDATE jobs SET status = 'cancelling', ended_at = now(), cancel_origin =
           '{"actor": {"kind": "user", "id": null}, "requestId": null, "address": null}'
         WHERE id = $1`,
        [id],
      )
      return id
    }
    const [next, again] = [await left(), await left()]
    await continueJob(app, next)
    await turnJob(app, formatId('job', again), 'cancel')
    for (const id of [next, again]) {
      const job = await readJob(app, formatId('job', id))
      assert.deepEqual([job.status, job.counts.cancelled], ['cancelled', 2])
      assert.equal((await recordsOf(app, formatId('job', id), 'job.cancelled')).length, 1)
    }
    assert.deepEqual(await changedDevices(app, uuids), [])
  })
})
